// SPDX-License-Identifier: Apache-2.0
// Grids of maps that people write.
#pragma once

#include <string>

#include "pipeline/acquisition/map_grid.h"

namespace cornerturn {

/// Of a file such as
///     projection: utm:33n                        # or geographic, local, plane, epsg:CODE
///     bounds: [500000, 5800000, 505000, 5803000] # west, south, east, north: outer edges, in the map's units
///     spacing: 5                                 # or [along x, along y], in the map's units
/// Throws InputError naming file, key and what was expected.
MapGrid read_yaml_grid(const std::string& path);

}  // namespace cornerturn
