// SPDX-License-Identifier: Apache-2.0
// Digital elevation models: GeoTIFF in geographic coordinates, or an HDF5 file with the datasets height, latitude and
// longitude.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/acquisition/terrain.h"

namespace cornerturn {

/// Opens a file of either kind; its first bytes tell which. Throws InputError naming what was found and what was
/// expected. What a user should hear about its heights is added to `remarks`.
std::unique_ptr<TerrainSource> open_terrain(const std::string& path, std::vector<std::string>& remarks);

/// Of these kinds.
std::unique_ptr<TerrainSource> open_geotiff(const std::string& path, std::vector<std::string>& remarks);
std::unique_ptr<TerrainSource> open_height_grid(const std::string& path);

}  // namespace cornerturn
