// SPDX-License-Identifier: Apache-2.0
// What is told of images on maps: facts, places, points.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/measure/map_points.h"

namespace cornerturn {

/// Grid and how the image was made.
nlohmann::ordered_json map_json(const Image& image, std::string_view format);
/// Corners and middle on the Earth. Throws InputError naming `file` for a local plane, of which nothing tells where it
/// lies.
nlohmann::ordered_json geo_of_map(const std::string& file, const Image& image);

/// "EPSG:32633, 772 rows x 1140 columns of 5 x 5 m, x 500000 to 505700, y 5800000 to 5803860"
std::string grid_text(const MapGrid& grid);

/// One line per target. One that was refused says why.
std::string map_point_table(const std::vector<MapPointAnalysis>& points);
nlohmann::json map_points_json(const Image& image, const std::vector<MapPointAnalysis>& points);

}  // namespace cornerturn
