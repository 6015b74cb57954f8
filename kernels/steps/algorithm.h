// SPDX-License-Identifier: Apache-2.0
// An algorithm as a type for headers that only pass it on; steps.h defines its steps.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace cornerturn {

struct FftLengths {
    std::int64_t range = 0;
    std::int64_t azimuth = 0;
    friend bool operator==(const FftLengths&, const FftLengths&) = default;
};

struct Step;
using Steps = std::vector<Step>;

/// What a former makes of an acquisition, for any device to lower.
struct Algorithm {
    FftLengths least;  ///< transforms that are shorter wrap
    /// The steps with transforms of these lengths. Cheap: tables that take time are made when a device asks for them.
    std::function<Steps(const FftLengths&)> steps;
};

}  // namespace cornerturn
