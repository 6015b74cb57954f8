// SPDX-License-Identifier: Apache-2.0
// The gently curved track that stands for one that sways: zero Doppler of a track as flown jumps to and fro with every
// turn of it, and rows of an image could not be told from each other.
#pragma once

#include <optional>

#include "pipeline/acquisition/acquisition.h"

namespace cornerturn {

/// A parabola over time through the positions along the pulses, in the mean square, from as far before the first pulse
/// to as far behind the last as these are apart; a line at one speed where the parabola turns so much that rows pass at
/// less than half the speed of flight. Nothing for satellites, and where rows of zero Doppler as flown pass over the
/// swath as evenly as those of the parabola do.
std::optional<Orbit> reference_track(const Acquisition& acquisition);

/// Of the flown track, at a pulse.
double largest_distance_m(const Acquisition& acquisition, const Orbit& reference);

/// The same targets as seen from another track: closest ranges and zero-Doppler times by that, heights stay.
std::vector<PointTarget> seen_from(const std::vector<PointTarget>& targets, const Orbit& flown, const Orbit& reference,
                                   LookSide side);

}  // namespace cornerturn
