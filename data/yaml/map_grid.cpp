// SPDX-License-Identifier: Apache-2.0
#include "data/yaml/map_grid.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "data/files/refusal.h"
#include "data/other_content.h"
#include "pipeline/acquisition/ground/map_projection.h"

namespace cornerturn {
namespace {

template <std::size_t count>
std::array<double, count> numbers_of(const std::string& path, const YAML::Node& node, const char* key,
                                     const char* expected) {
    std::vector<double> numbers;
    if (!node || !YAML::convert<std::vector<double>>::decode(node, numbers) || numbers.size() != count)
        refuse(path, fmt::format("{}: expected {}", key, expected));
    std::array<double, count> all{};
    std::copy(numbers.begin(), numbers.end(), all.begin());
    return all;
}

}  // namespace

MapGrid read_yaml_grid(const std::string& path) try {
    require_text(path, "a map grid (GSLC, GeoTIFF or YAML)");
    const YAML::Node file = YAML::LoadFile(path);
    if (!file.IsMap()) refuse(path, "is no map grid, expected the keys projection, bounds and spacing");
    for (const auto& entry : file)
        if (const auto key = entry.first.as<std::string>(); key != "projection" && key != "bounds" && key != "spacing")
            refuse(path, fmt::format("{}: unknown; the keys are projection, bounds and spacing", key));
    if (!file["projection"] || !file["projection"].IsScalar())
        refuse(path, "projection: expected utm:ZONE (utm:33n), geographic, local, plane or epsg:CODE");
    const auto projection = map_projection_named(file["projection"].as<std::string>());
    if (!projection) refuse(path, "projection: utm needs its zone here, such as utm:33n");
    const auto [west, south, east, north] =
        numbers_of<4>(path, file["bounds"], "bounds", "[west, south, east, north], the outer edges in the map's units");
    std::array<double, 2> spacing{};
    if (file["spacing"] && file["spacing"].IsScalar() && YAML::convert<double>::decode(file["spacing"], spacing[0]))
        spacing[1] = spacing[0];
    else
        spacing =
            numbers_of<2>(path, file["spacing"], "spacing", "a number, or [along x, along y], in the map's units");
    if (!(spacing[0] > 0 && spacing[1] > 0)) refuse(path, "spacing: expected numbers above 0");
    const double columns = (east - west) / spacing[0], rows = (north - south) / spacing[1];
    constexpr double rounding = 1e-6, most = 2147483647;
    if (!(columns >= 1 - rounding && rows >= 1 - rounding && columns < most && rows < most))
        refuse(path, fmt::format("bounds: {} x {} pixels (rows x columns), expected [west, south, east, north] with "
                                 "west below east and south below north, at least a pixel apart",
                                 rows, columns));
    return {.projection = *projection,
            .rows = static_cast<std::int64_t>(std::ceil(rows - rounding)),
            .columns = static_cast<std::int64_t>(std::ceil(columns - rounding)),
            .first_x = west + 0.5 * spacing[0],
            .x_step = spacing[0],
            .first_y = north - 0.5 * spacing[1],
            .y_step = -spacing[1]};
} catch (const YAML::Exception& error) {
    refuse(path, fmt::format("no valid YAML in line {}: {}", error.mark.line + 1, error.msg));
}

}  // namespace cornerturn
