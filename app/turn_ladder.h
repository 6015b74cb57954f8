// SPDX-License-Identifier: Apache-2.0
// Checks and times every corner turn that a device has, on one shape.
#pragma once

#include <string>
#include <vector>

#include "kernels/device.h"
#include "pipeline/progress.h"

namespace cornerturn {

struct TurnRequest {
    std::int64_t rows = 4096;
    std::int64_t columns = 4096;
    SampleFormat format = SampleFormat::complex64;  ///< or one of four bytes, for float32
    int repeat = 31;

    double bytes() const { return static_cast<double>(rows * columns) * static_cast<double>(bytes_per_sample(format)); }
};

/// One step of the ladder, or the copy at its end.
struct TurnTiming {
    std::string name;
    double median_ms = 0;
    double gbytes_per_s = 0;  ///< read and written
    double k_eff = 0;         ///< time in units of bytes / copy rate; 2 is what a copy takes
    double burst_ms = 0;      ///< of production only, else 0
    double sustained_ms = 0;  ///< likewise
};

struct TurnLadder {
    std::vector<TurnTiming> steps;      ///< the last is the copy
    std::vector<std::string> left_out;  ///< variants that do not go here, and why
    std::vector<std::string> wrong;     ///< variants that did not turn exactly; then nothing was timed after them
    double copy_gbytes_per_s = 0;

    const TurnTiming& step(const std::string& name) const;
};

/// Every variant has to turn random numbers exactly before it is timed. Throws InputError where the memory does not suffice.
TurnLadder measure_turn_ladder(Device& device, const TurnRequest& request, const Progress& progress);

}  // namespace cornerturn
