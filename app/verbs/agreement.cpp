// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/agreement.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/verbs/comparison_report.h"
#include "data/files/unfinished.h"
#include "data/nisar/rslc_writer.h"
#include "kernels/errors.h"

namespace cornerturn {

struct NamelessImage::Parts {
    explicit Parts(const std::string& name) : path(name), file(name) {}
    std::string path;
    RslcFile file;
    std::optional<StoredImage> image;
};

NamelessImage::NamelessImage() {
    static int number = 0;
    const std::string name = fmt::format("cornerturn-{}-{}.h5", getpid(), ++number);
    const std::string path = (std::filesystem::temp_directory_path() / name).string();
    remember_unfinished(path);
    parts_ = std::make_unique<Parts>(path);
}

NamelessImage::~NamelessImage() { unlink(parts_->path.c_str()); }

ImageSink& NamelessImage::sink() { return parts_->file; }

StoredImage& NamelessImage::image() {
    if (!parts_->image) {
        parts_->file.commit();
        parts_->image.emplace(open_rslc(parts_->path));
        unlink(parts_->path.c_str());  // what is open stays
    }
    return *parts_->image;
}

bool Agreement::passed() const {
    const OffsetStatistics& offset = comparison.complex_offset;
    return offset.chips > 0 && std::abs(offset.azimuth_px.median) <= largest_offset_px &&
           std::abs(offset.range_px.median) <= largest_offset_px && comparison.coherence_median >= least_coherence;
}

Agreement agreement_of(const std::string& first, NamelessImage& first_image, const std::string& second,
                       NamelessImage& second_image, int threads, const Progress& progress) {
    const auto compare = [&](bool whole) {
        return compare_images({first, first_image.image().view()}, {second, second_image.image().view()},
                              {.whole = whole, .threads = threads}, progress);
    };
    try {
        return {first, second, compare(false)};
    } catch (const InputError&) {
        return {first, second, compare(true)};
    }
}

std::string agreement_table(const std::vector<Agreement>& agreements) {
    if (agreements.empty()) return {};
    std::string text = fmt::format(
        "agreement of the images (limits: offset {} px, median coherence "
        "{})\n{:<6}{:<30}{:>12}{:>12}{:>12}{:>12}{:>10}\n",
        Agreement::largest_offset_px, Agreement::least_coherence, "", "pair", "azimuth px", "range px", "coherence",
        "amplitude", "S/E dB");
    for (const Agreement& agreement : agreements) {
        const ImageComparison& c = agreement.comparison;
        text += fmt::format("{}  {:<30}{:>+12.4f}{:>+12.4f}{:>12.6f}{:>12.6f}{:>10.2f}\n",
                            agreement.passed() ? "PASS" : "FAIL", agreement.first + " " + agreement.second,
                            c.complex_offset.azimuth_px.median, c.complex_offset.range_px.median, c.coherence_median,
                            c.amplitude_correlation, c.signal_to_error_db);
    }
    return text;
}

nlohmann::ordered_json agreements_json(const std::vector<Agreement>& agreements) {
    auto json = nlohmann::ordered_json::array();
    for (const Agreement& agreement : agreements) {
        nlohmann::ordered_json pair{{"a", agreement.first}, {"b", agreement.second}, {"passed", agreement.passed()}};
        pair.update(comparison_json(agreement.comparison));
        json.push_back(std::move(pair));
    }
    return json;
}

}  // namespace cornerturn
