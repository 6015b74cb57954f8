// SPDX-License-Identifier: Apache-2.0
// Cost of steps, independent of the device: accurate enough to choose among algorithms whose times differ by
// factors.
#pragma once

#include "kernels/steps/algorithm.h"

namespace cornerturn {

struct WorkCost {
    double bytes_moved = 0;   ///< read and written in the memory of the device
    double operations = 0;    ///< floating-point operations of transforms, hooks and gathers along lines
    double pixel_pulses = 0;  ///< of back-projection: pixels times the lines that each sums; of a factorised sum those
                              ///< of an exact one that takes a CPU as long
    double factorised_pulses = 0;  ///< of them, those of factorised sums
    double raised_pulses = 0;      ///< of these, those of pixels that are read at heights of their own

    WorkCost& operator+=(const WorkCost& other);
    friend WorkCost operator*(double times, const WorkCost& cost);
    friend bool operator==(const WorkCost&, const WorkCost&) = default;
};

/// Operations and pixel pulses. Bytes depend on the way that a device takes: LoweringReport has them.
WorkCost cost_of(const Step& step);
WorkCost cost_of(const Steps& steps);
/// With transforms of these lengths.
WorkCost cost_of(const Algorithm& algorithm, const FftLengths& fft);

/// How fast a device works, in round numbers.
struct WorkRates {
    double bytes_per_s = 0;
    double operations_per_s = 0;
    double pixel_pulses_per_s = 0;       ///< of exact sums
    double factorised_pulses_per_s = 0;  ///< of factorised ones
    double raised_pulses_per_s = 0;      ///< of these, where pixels have heights of their own
};
/// One after the other.
double seconds_of(const WorkCost& cost, const WorkRates& rates);

}  // namespace cornerturn
