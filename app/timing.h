// SPDX-License-Identifier: Apache-2.0
// How the benches time work on a device.
#pragma once

#include <functional>

#include "kernels/device.h"

namespace cornerturn {

/// Median of `repeat` single runs after a short warm-up.
double median_ms(Device& device, const std::function<void()>& work, int repeat);

/// Mean times of runs one behind the other.
struct Endurance {
    double burst_ms = 0;      ///< of the first 50
    double sustained_ms = 0;  ///< over two seconds, in which power and heat have their say
};
Endurance endurance(Device& device, const std::function<void()>& work);

}  // namespace cornerturn
