// SPDX-License-Identifier: Apache-2.0
// What the benches work on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/device/device.h"

namespace cornerturn {

/// Numbers in [-1, 1), always the same for a seed, and none of them 0: a library that multiplies by one and adds zero
/// keeps every bit but the sign of a zero.
std::vector<float> random_numbers(std::size_t count, std::uint64_t seed = 0x9E3779B97F4A7C15u);

/// Throws InputError if the device has less memory free than `what` needs.
void require_memory(const DeviceInfo& info, double bytes, const std::string& what);

}  // namespace cornerturn
