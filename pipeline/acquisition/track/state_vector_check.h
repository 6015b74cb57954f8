// SPDX-License-Identifier: Apache-2.0
// Whether state vectors can be those of one flight, before anything is made of them.
#pragma once

#include <optional>
#include <string>

#include "pipeline/acquisition/acquisition.h"

namespace cornerturn {

/// Beyond its state vectors a satellite's orbit is followed for this long: interpolate() leaves it by centimetres at
/// most, which moves the effective velocity by less than 1e-6.
inline constexpr double longest_extrapolation_s = 15;
/// Whether positions at a time can be believed.
bool is_followed(const Orbit& orbit, double time_s);

/// Throws InputError unless positions move as the velocities say.
void require_consistent(const Orbit& orbit);

/// Throws InputError for a burst without an orbit. Neither a velocity nor the data stand in for it, as the beam passes
/// over more than the PRF while it is steered.
void require_orbit_of_burst(const Acquisition& acquisition);

/// Of a satellite: what a user is told where a state vector near the pulses lies off the curve through its neighbours,
/// by which the track between them is not known. Those of aircraft may lie as far apart as their sway allows.
std::optional<std::string> doubt_about_orbit(const Acquisition& acquisition);

}  // namespace cornerturn
