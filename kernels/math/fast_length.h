// SPDX-License-Identifier: Apache-2.0
// Transform lengths for which every FFT library is fast.
#pragma once

#include <cstdint>

namespace cornerturn {

/// The smallest product of 2, 3 and 5 that is a multiple of 32 and not below `length` (at least 1).
std::int64_t fast_length(std::int64_t length);

}  // namespace cornerturn
