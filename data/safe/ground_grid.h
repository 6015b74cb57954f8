// SPDX-License-Identifier: Apache-2.0
// Places of samples of a stack of bursts on the ground.
#pragma once

#include <cstdint>
#include <vector>

#include "data/safe/burst_stack.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn::safe {

/// At the height of the burst's scene. Throws InputError where the range does not reach that.
GroundView view_of(const BurstStack& stack, const StackedBurst& burst, std::int64_t line, std::int64_t sample);

/// So many samples along a line, from the first to the last one.
std::vector<std::int64_t> samples_along(const BurstStack& stack, std::int64_t count);

}  // namespace cornerturn::safe
