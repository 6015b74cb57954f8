// SPDX-License-Identifier: Apache-2.0
// Images on maps: their grids, and what of them an echo covers.
#pragma once

#include <string>
#include <vector>

#include "pipeline/acquisition/ground/terrain.h"
#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// How high the ground of a map lies.
struct MapHeights {
    double height_m = 0;               ///< everywhere
    TerrainSource* terrain = nullptr;  ///< or as it tells
};

/// The map that is asked for; without bounds the rectangle that holds all that an image on the zero-Doppler grid
/// covers. Throws InputError where the map does not hold the scene.
MapGrid map_around(const ImagePlan& plan, const MapRequest& request);

/// The same grid; in degrees, with longitudes that count on from those of another one over the antimeridian.
MapGrid counted_as(MapGrid grid, const MapGrid& other);

/// The image of `plan`, which lies on the zero-Doppler grid, on a map instead: by default on the rectangle of it that
/// holds all that is covered. Throws InputError where the map does not hold the scene, or the request is too large.
/// What is worth telling goes to `remarks`.
ImagePlan on_map(const Acquisition& acquisition, const ImagePlan& plan, const MapRequest& request,
                 const MapHeights& heights, std::vector<std::string>& remarks);

/// An image of all pulses. Of a track in a frame of the scene's own, in the level plane
/// at a height: by default of the square about the frame's origin that every pulse records fully and that pulses tell
/// apart. Of a phase history: by default of what the file is about. `late_s`: by which echoes come later than geometry
/// says.
ImagePlan plan_of_all_pulses(const Acquisition& acquisition, const FormerParameters& parameters,
                             const MapRequest& request, const MapHeights& heights, double late_s,
                             std::vector<std::string>& remarks);

}  // namespace cornerturn
