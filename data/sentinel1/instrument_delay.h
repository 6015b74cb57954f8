// SPDX-License-Identifier: Apache-2.0
// By how much the instrument delays echoes: its calibration packets show their chirp so much behind the window's begin.
#pragma once

#include <optional>
#include <vector>

#include "data/sentinel1/packet.h"

namespace cornerturn::sentinel1 {

/// Of echoes like this one, in s: of transmitter and receiver less that of the path that both share, as ESA's processor
/// puts the three together (Sentinel-1 Level 1 Detailed Algorithm Definition, section 4.2), else of any calibration.
/// Nothing where there are no calibration packets of its swath and sampling.
std::optional<double> instrument_delay_s(const BinaryFile& file, const std::vector<Packet>& packets,
                                         const Packet& echo);

}  // namespace cornerturn::sentinel1
