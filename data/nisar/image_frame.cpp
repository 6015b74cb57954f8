// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/image_frame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "data/nisar/product_group.h"
#include "kernels/host/letter_case.h"

namespace cornerturn {
namespace {

std::string choose(const h5::Reader& file, const std::string& group, const std::vector<std::string>& found,
                   const std::optional<std::string>& wanted, const char* what, const char* expected) {
    if (found.empty()) file.refuse(group, fmt::format("holds no {}, expected {}", what, expected));
    const std::string chosen = wanted ? upper(*wanted) : found.front();
    if (std::find(found.begin(), found.end(), chosen) == found.end())
        file.refuse(group, fmt::format("there is no {} {}, only {}; choose one of these", what, *wanted,
                                       fmt::join(found, ", ")));
    return chosen;
}

bool is_polarization(std::string_view name) {
    return name.size() == 2 && std::string_view("HVLR").find(name[0]) != std::string_view::npos &&
           std::string_view("HV").find(name[1]) != std::string_view::npos;
}

}  // namespace

ImagePaths locate_frame(const h5::Reader& file, const std::string& product, const char* group, const char* expected,
                        const FrameSelection& selection, Acquisition& acquisition) {
    ImagePaths paths{.band = product.substr(0, product.rfind('/')), .product = product, .frequency = {}, .samples = {}};
    acquisition.band = paths.band.substr(sizeof("/science/") - 1);
    const std::string all = fmt::format("{}/{}", product, group);
    acquisition.frequency = choose(file, all, frequencies_below(file, all), selection.frequency, "frequency", expected);
    paths.frequency = fmt::format("{}/frequency{}", all, acquisition.frequency);
    std::vector<std::string> polarizations;
    for (const std::string& name : file.children(paths.frequency))
        if (is_polarization(name)) polarizations.push_back(name);
    acquisition.polarization =
        choose(file, paths.frequency, polarizations, selection.polarization, "polarization", expected);
    paths.samples = fmt::format("{}/{}", paths.frequency, acquisition.polarization);
    return paths;
}

}  // namespace cornerturn
