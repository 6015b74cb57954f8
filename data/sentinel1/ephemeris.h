// SPDX-License-Identifier: Apache-2.0
// State vectors, of which every packet brings a word (S1-IF-ASD-PL-0007, section 3.2.3).
#pragma once

#include <optional>
#include <vector>

#include "data/sentinel1/packet.h"
#include "pipeline/acquisition/orbit.h"

namespace cornerturn::sentinel1 {

/// At GPS times in equal steps; nothing where the packets hold fewer than two.
std::optional<Orbit> orbit_of(const std::vector<Packet>& packets);

}  // namespace cornerturn::sentinel1
