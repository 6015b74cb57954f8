// SPDX-License-Identifier: Apache-2.0
// Grids of maps that are taken over from files.
#pragma once

#include <string>

#include "pipeline/acquisition/map_grid.h"

namespace cornerturn {

namespace h5 {
class Reader;
}

/// That of the images below a group `frequencyA` of a GSLC. Throws InputError naming file and dataset.
MapGrid read_gslc_grid(const h5::Reader& file, const std::string& frequency);

/// That of a GSLC in HDF5, of a GeoTIFF in any map that carries its EPSG code, or of a YAML file:
///     projection: utm:33n                        # or geographic, local, epsg:CODE
///     bounds: [500000, 5800000, 505000, 5803000] # west, south, east, north: outer edges, in the map's units
///     spacing: 5                                 # or [along x, along y], in the map's units
/// Throws InputError naming file, key and what was expected.
MapGrid read_map_grid(const std::string& path);

/// Where the pixels of a GeoTIFF lie.
MapGrid read_geotiff_grid(const std::string& path);

}  // namespace cornerturn
