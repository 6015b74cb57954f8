// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/ground/terrain.h"

#include <fmt/format.h>

#include "kernels/errors.h"

namespace cornerturn {

std::string text_of(const GeographicBox& box) {
    const std::string latitudes = fmt::format("latitudes {:.4f} to {:.4f}", box.south_deg, box.north_deg);
    if (box.goes_round()) return latitudes + " degrees and all longitudes";
    return fmt::format("{} and longitudes {:.4f} to {:.4f} degrees", latitudes, box.west_deg, box.east_deg);
}

void check_known_heights(const TerrainSource& terrain, double part_unknown, std::string_view of,
                         std::vector<std::string>& remarks) {
    constexpr double largest_part = 0.5;  // beyond it the rest would be guessed
    if (part_unknown > largest_part)
        throw InputError(fmt::format(
            "{}: knows no height for {:.0f} % of the {} (at most {:.0f} %); give a terrain without these gaps, or "
            "one --height for all of it",
            terrain.name(), 100 * part_unknown, of, 100 * largest_part));
    if (part_unknown > 0)
        remarks.push_back(fmt::format("{}: knows no height for {:.1f} % of the {}, which takes those about it",
                                      terrain.name(), 100 * part_unknown, of));
}

}  // namespace cornerturn
