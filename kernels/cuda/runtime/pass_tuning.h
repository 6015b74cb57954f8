// SPDX-License-Identifier: Apache-2.0
// What a plan of the first pass has to know beside the pass.
#pragma once

#include <cstdint>

namespace cornerturn {

struct PassTuning {
    std::int64_t block_lines = 0;  ///< that run_lines mostly gets; 0: all. A hint for how to cut the work
    bool scaled_halves = false;    ///< the result is lines of halves with a scale each (kernels/device/scaled_lines.h);
                                   ///< fused range passes alone
};

}  // namespace cornerturn
