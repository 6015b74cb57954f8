// SPDX-License-Identifier: Apache-2.0
// Grids of maps that are taken over from files, whatever their format.
#pragma once

#include <string>

#include "pipeline/acquisition/map_grid.h"

namespace cornerturn {

/// That of a GSLC in HDF5, of a GeoTIFF in any map that carries its EPSG code, or of a YAML file
/// (data/yaml/map_grid.h). Throws InputError naming file, place and what was expected.
MapGrid read_map_grid(const std::string& path);

}  // namespace cornerturn
