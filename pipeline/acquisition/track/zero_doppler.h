// SPDX-License-Identifier: Apache-2.0
// Check that every target is at zero Doppler once: rows of an image are zero-Doppler times.
#pragma once

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/track/track.h"

namespace cornerturn {

/// How fast rows of the image pass over targets of this range, of the speed of flight: d/dt ((P - X) V) / V^2 where
/// X is at zero Doppler, 1 in straight flight. Where it is 0 or less a turning antenna sees targets more than once.
double zero_doppler_rate(const Orbit& orbit, const Track& track, double time_s, double range_m);

/// Throws InputError where targets of the swath are at zero Doppler more than once, or never, or where the antenna
/// does not fly fast enough for the centroid. `track` is that of the acquisition's orbit; four times between state
/// vectors, at near, mid and far range.
void require_one_zero_doppler(const Acquisition& acquisition, const Track& track, double centroid_hz);

}  // namespace cornerturn
