// SPDX-License-Identifier: Apache-2.0
// Expected places of the targets of a simulated scene in an image on a map.
#pragma once

#include <vector>

#include "pipeline/measure/map_points.h"

namespace cornerturn {

/// Those whose truth the image carries; none where nothing tells where on the Earth they are. Only of those that lie on
/// the ground that the map shows, to a tenth of a millimetre, the amplitude is expected at their places: others are
/// displaced.
std::vector<MapTarget> known_map_targets(const Image& image);

}  // namespace cornerturn
