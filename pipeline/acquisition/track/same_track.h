// SPDX-License-Identifier: Apache-2.0
// Comparison of two tracks: the same way through space, flown at two times, or not.
#pragma once

#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

struct TrackMatch {
    double later_s = 0;             ///< the second track is where the first one was
    double largest_distance_m = 0;  ///< and how far from it, then
};

/// Between two times of the first, in whose middle the second one is abreast of it.
TrackMatch match_of(const Orbit& first, const Orbit& second, double from_s, double to_s);

}  // namespace cornerturn
