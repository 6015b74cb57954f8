// SPDX-License-Identifier: Apache-2.0
// The one way to run a small operation at every (row, column) of a matrix.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/cuda/launch/kernel_grid.h"
#include "kernels/cuda/runtime/check.h"
#include "kernels/cuda/runtime/stream.h"
#include "kernels/errors.h"

namespace cornerturn {

inline constexpr unsigned threads_per_block = 256;

/// Width of a grid of so many blocks. Throws InputError where they are more than it holds.
inline unsigned grid_of(std::int64_t blocks, std::string_view doing) {
    if (blocks > INT_MAX)
        throw InputError(std::string(doing) + ": " + std::to_string(blocks) + " blocks are needed, a grid holds " +
                         std::to_string(INT_MAX) + "; take a smaller matrix");
    return static_cast<unsigned>(blocks);
}

/// Neighbouring threads take neighbouring columns; rows beyond the grid's limit are taken in further rounds.
template <class Op>
__global__ void __launch_bounds__(threads_per_block)
    for_each_kernel(const Op op, const std::int64_t rows, const std::int64_t columns) {
    const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
    if (column >= columns) return;
    for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) op(row, column);
}

/// op(row, column) is a __device__ operator() const; `op` travels as a kernel argument.
template <class Op>
void for_each(const Op& op, std::int64_t rows, std::int64_t columns, const Stream& stream, std::string_view doing,
              std::source_location place = std::source_location::current()) {
    if (rows == 0 || columns == 0) return;
    const dim3 grid(grid_of((columns + threads_per_block - 1) / threads_per_block, doing),
                    static_cast<unsigned>(std::min(rows, most_blocks_y)));
    for_each_kernel<<<grid, threads_per_block, 0, stream.get()>>>(op, rows, columns);
    check_launch(doing, place);
}

}  // namespace cornerturn
