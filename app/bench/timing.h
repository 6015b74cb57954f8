// SPDX-License-Identifier: Apache-2.0
// How the benches time work on a device.
#pragma once

#include <functional>

#include "app/bench/bench_result.h"
#include "kernels/device/device.h"

namespace cornerturn {

/// Median of `repeat` single runs, each on the host's clock from asking for it until it is done.
double median_wall_ms(const std::function<void()>& work, int repeat);

/// Median of `repeat` single runs after a short warm-up.
double median_ms(Device& device, const std::function<void()>& work, int repeat);

/// Mean times of runs one behind the other.
struct Endurance {
    double burst_ms = 0;      ///< of the first 50
    double sustained_ms = 0;  ///< over two seconds, in which power and heat have their say
};
/// Of less than twenty repeats, of which nobody expects that much, a tenth of a second for each.
Endurance endurance(Device& device, const std::function<void()>& work, int repeat);

/// Measures it for a step of a bench.
void add_endurance(BenchStep& step, Device& device, const std::function<void()>& work, int repeat);

/// The ceiling: GB/s, read and written, of the faster of the two ways to copy a matrix; `to` is as large and loses what
/// it held.
double copy_gbytes_per_s(Device& device, const Matrix& from, Matrix& to, int repeat);

}  // namespace cornerturn
