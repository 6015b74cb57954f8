// SPDX-License-Identifier: Apache-2.0
// The grid of a kernel body: blocks() in a row, and block_rows() such rows where it has that.
#pragma once

#include <cstdint>

namespace cornerturn {

template <class Kernel>
std::int64_t block_rows_of(const Kernel& kernel) {
    if constexpr (requires { kernel.block_rows(); })
        return kernel.block_rows();
    else
        return 1;
}

}  // namespace cornerturn
