// SPDX-License-Identifier: Apache-2.0
// The even reference track of an aircraft that sways. Zero Doppler of the track as flown would jump to and fro with
// every turn, so that rows of an image would not be distinct.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/track/track.h"

namespace cornerturn {

bool is_satellite(const Orbit& orbit, double time_s);

/// The flight at one speed, straight or level over the Earth, whichever lies closer to the positions along the pulses
/// in the mean square; seconds_beyond_pulses longer at either end. Nothing for satellites, and where rows of zero
/// Doppler as flown pass evenly over the swath, in time and along the ground.
std::optional<Orbit> reference_track(const Acquisition& acquisition);

/// Before the first pulse and behind the last one, in which a reference goes on: as long as these are apart, and no
/// less than it takes to where places under the largest squint are at zero Doppler.
double seconds_beyond_pulses(const Acquisition& acquisition);

/// Whether rows of zero Doppler of a track pass evenly over the swath, all along the pulses, at one speed.
bool rows_pass_evenly(const Acquisition& acquisition, const Orbit& orbit);

/// The same targets on rows of the reference: zero-Doppler times, closest ranges, and the frequencies along them at
/// which recorded pulses illuminate it.
std::vector<PointTarget> on_rows_of(const Orbit& reference, const Acquisition& acquisition);

/// Of what a pulse shows at a Doppler frequency: 2 / lambda dR / dt0 between the antenna and the place at a
/// zero-Doppler time and closest range of the reference, which is the Doppler frequency where it was flown.
double row_frequency_hz(const Track& track, double zero_doppler_time_s, double range_m, double pulse_time_s,
                        double carrier_hz);

}  // namespace cornerturn
