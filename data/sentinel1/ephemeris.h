// SPDX-License-Identifier: Apache-2.0
// State vectors, of which every packet brings a word (S1-IF-ASD-PL-0007, section 3.2.3).
#pragma once

#include <optional>
#include <vector>

#include "data/sentinel1/packet.h"
#include "pipeline/acquisition/orbit.h"

namespace cornerturn::sentinel1 {

/// In equal steps of GPS time, less `epoch_s`; nothing where the packets hold fewer than two.
std::optional<Orbit> orbit_of(const std::vector<Packet>& packets, double epoch_s);

/// The same with vectors in such steps as far as these times, by the polynomial of the fourth degree through the
/// positions of the outermost 12 s: it leaves a micrometre of a satellite's path, and does not blow up noise.
Orbit extended(const Orbit& orbit, double from_s, double to_s);

}  // namespace cornerturn::sentinel1
