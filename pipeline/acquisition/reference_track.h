// SPDX-License-Identifier: Apache-2.0
// The even track that stands for one that sways: zero Doppler of a track as flown jumps to and fro with every
// turn of it, and rows of an image could not be told from each other.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/viewing_geometry.h"

namespace cornerturn {

/// The flight at one speed, straight or level over the Earth, whichever lies closer to the positions along the pulses
/// in the mean square; from as far before the first pulse to as far behind the last as these are apart. Nothing for
/// satellites, and where rows of zero Doppler as flown pass evenly over the swath, in time and along the ground.
std::optional<Orbit> reference_track(const Acquisition& acquisition);

/// Whether rows of zero Doppler of a track pass evenly over the swath, all along the pulses, at one speed.
bool rows_pass_evenly(const Acquisition& acquisition, const Orbit& orbit);

/// Of the flown track, at a pulse.
double largest_distance_m(const Acquisition& acquisition, const Orbit& reference);

/// The same targets on rows of the reference: zero-Doppler times, closest ranges, and the frequencies along them at
/// which recorded pulses illuminate it.
std::vector<PointTarget> on_rows_of(const Orbit& reference, const Acquisition& acquisition);

/// Of what a pulse shows at a Doppler frequency: 2 / lambda dR / dt0 between the antenna and the place at a
/// zero-Doppler time and closest range of the reference, which is the Doppler frequency where it was flown.
double row_frequency_hz(const Track& track, double zero_doppler_time_s, double range_m, double pulse_time_s,
                        double carrier_hz);
/// That of the pulse in whose beam's centre a pixel lies. As flown the centroid.
double frequency_along_rows_hz(const ViewingGeometry& geometry, double zero_doppler_time_s, double range_m,
                               const BeamCentre& beam);
/// How fast it changes from pulse to pulse there: by it sums over pulses have a flat spectrum along rows. As flown the
/// FM rate.
double rate_along_rows_hz_s(const ViewingGeometry& geometry, double zero_doppler_time_s, double range_m,
                            const BeamCentre& beam);

}  // namespace cornerturn
