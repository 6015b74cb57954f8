// SPDX-License-Identifier: Apache-2.0
// Checks and times every corner turn that a device has, on one shape.
#pragma once

#include "app/bench/bench_result.h"
#include "kernels/device/device.h"
#include "pipeline/run/progress.h"

namespace cornerturn {

struct TurnRequest {
    std::int64_t rows = 4096;
    std::int64_t columns = 4096;
    std::int64_t pitch = 0;                         ///< elements from row to row of the matrix that is read; 0: packed
    SampleFormat format = SampleFormat::complex64;  ///< or float32
    int repeat = 31;

    std::int64_t row_pitch() const { return pitch == 0 ? columns : pitch; }
    double bytes() const { return static_cast<double>(rows * columns) * static_cast<double>(bytes_per_sample(format)); }
};

/// Every variant has to turn random numbers exactly before it is timed. Throws InputError where the memory does not
/// suffice.
BenchResult measure_corner_turns(Device& device, const TurnRequest& request, const Progress& progress);

}  // namespace cornerturn
