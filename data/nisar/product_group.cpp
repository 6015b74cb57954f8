// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/product_group.h"

#include <fmt/format.h>

namespace cornerturn {

std::optional<std::string> find_product(const h5::Reader& file, std::initializer_list<const char*> names) {
    for (const char* band : {"SSAR", "LSAR"})
        for (const char* name : names)
            if (const std::string group = fmt::format("/science/{}/{}", band, name); file.is_group(group)) return group;
    return std::nullopt;
}

std::vector<std::string> frequencies_below(const h5::Reader& file, const std::string& group) {
    std::vector<std::string> found;
    for (const std::string& name : file.children(group))
        if (name == "frequencyA" || name == "frequencyB") found.push_back(name.substr(9));
    return found;
}

}  // namespace cornerturn
