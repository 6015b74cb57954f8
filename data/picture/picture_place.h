// SPDX-License-Identifier: Apache-2.0
// What puts a picture into its place: a world file for GIS programs, KML for globes.
#pragma once

#include <string>

#include "data/picture/quicklook.h"
#include "pipeline/acquisition/map_grid.h"

namespace cornerturn {

/// Six lines: the steps from pixel to pixel, and where the middle of the first one is, in the map's own coordinates.
std::string world_file(const MapGrid& grid, const PictureCells& cells);

/// The picture of that name, laid over the ground by the longitudes and latitudes of its corners. Throws InputError for
/// a plane that nothing tells the place of.
std::string picture_kml(const std::string& picture, const MapGrid& grid, const PictureCells& cells);

/// Both beside a picture, as NAME.pgw and NAME.kml. Throws as they do, and as replace_file does.
void write_picture_place(const std::string& picture, const MapGrid& grid, const PictureCells& cells);

}  // namespace cornerturn
