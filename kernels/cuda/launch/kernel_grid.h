// SPDX-License-Identifier: Apache-2.0
// The grid of a kernel body: blocks() in a row, and block_rows() such rows where it has that; and what a block takes.
#pragma once

#include <cstdint>

#include "kernels/math/complex.h"

namespace cornerturn {

inline constexpr std::int64_t most_blocks_y = 65535;  // of any grid

template <class Kernel>
std::int64_t block_rows_of(const Kernel& kernel) {
    if constexpr (requires { kernel.block_rows(); })
        return kernel.block_rows();
    else
        return 1;
}

/// Shared memory of a block: of a kernel body, or of a Shape by itself.
template <class Shape>
inline constexpr std::int64_t shared_bytes_of_shape = static_cast<std::int64_t>(sizeof(Complex64)) * Shape::slots;
template <class Kernel>
inline constexpr std::int64_t shared_bytes_of = shared_bytes_of_shape<typename Kernel::Shape>;

/// Calls go(Shape) with the first of several whose block fits so much shared memory; false if none does.
template <class... Shapes, class Go>
bool with_first_that_fits(std::int64_t shared_bytes, Go go) {
    return ((shared_bytes_of_shape<Shapes> <= shared_bytes && (go(Shapes{}), true)) || ...);
}

}  // namespace cornerturn
