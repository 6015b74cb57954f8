// SPDX-License-Identifier: Apache-2.0
// Places of the targets of a simulated scene: on the Earth, and in an image on a map.
#pragma once

#include <vector>

#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/measure/map_points.h"

namespace cornerturn {

/// Where on the Earth the simulated targets are that an acquisition knows of; those of which nothing tells it are left
/// out.
std::vector<Geographic> places_of_targets(const Acquisition& acquisition);

/// Those whose truth the image carries; none where nothing tells where on the Earth they are. Only of those that lie on
/// the ground that the map shows, to a tenth of a millimetre, the amplitude is expected at their places: others are
/// displaced.
std::vector<MapTarget> known_map_targets(const Image& image);

}  // namespace cornerturn
