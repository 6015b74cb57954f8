// SPDX-License-Identifier: Apache-2.0
// What an image on a map has beside one on the zero-Doppler grid.
#pragma once

#include <memory>
#include <optional>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/ground/map_ground.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// What is asked for.
struct MapRequest {
    std::optional<MapProjection> projection;  ///< none: the UTM zone of the scene's middle
    double spacing_m = 0;                     ///< of pixels, both ways; 0: by the resolution
    std::optional<MapGrid> grid;              ///< instead of both
};

/// Rows of a map, and what they are seen from.
struct MapView {
    MapGrid grid;
    MapPoint middle;  ///< of the whole map: rows made apart are weighed and sampled as all of them
    std::shared_ptr<const MapGround> ground;
    ImageGrid seen;                           ///< the zero-Doppler grid that tells what of the ground the echo covers
    std::shared_ptr<const Orbit> free_track;  ///< in its place, a track that has none: every pulse is summed
    double late_s = 0;                        ///< by which all echoes of such a track come later than geometry says
    /// All that are summed, by which those of any part are weighed; none: of no spotlight.
    std::shared_ptr<const PhaseHistory> pulses = {};

    /// The same ground belongs to the same grid.
    friend bool operator==(const MapView& a, const MapView& b) {
        return a.grid == b.grid && a.late_s == b.late_s && a.seen == b.seen;
    }
};

}  // namespace cornerturn
