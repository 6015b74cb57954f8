// SPDX-License-Identifier: Apache-2.0
// The grid of images on maps.
#pragma once

#include <string>

#include "data/hdf5/hdf5_reader.h"
#include "pipeline/acquisition/map_grid.h"

namespace cornerturn {

/// Datasets below a group `frequencyA` that tell the plane of a scene.
inline constexpr const char *plane_origin = "/planeOrigin", *plane_x_axis = "/planeXAxis",
                            *plane_y_axis = "/planeYAxis";

/// That of the images below a group `frequencyA` of a GSLC. Throws InputError naming file and dataset.
MapGrid read_gslc_grid(const h5::Reader& file, const std::string& frequency);
/// That of the first frequency of a file.
MapGrid read_gslc_grid(const std::string& path);

}  // namespace cornerturn
