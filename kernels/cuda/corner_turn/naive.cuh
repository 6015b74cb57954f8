// SPDX-License-Identifier: Apache-2.0
// Step 0, naive: every thread moves one element.
//
// Neighbouring threads read neighbouring elements of a row, which memory likes: 32 threads take a few long pieces. But
// they write down a column: each store touches a piece of memory of its own, of which 8 of 32 bytes are wanted. Memory
// traffic is several times what the matrix holds. (Reading columns and writing rows instead only moves the trouble.)
#pragma once

#include "kernels/cuda/corner_turn/tiles.cuh"

namespace cornerturn {

template <class T>
struct NaiveTurn {
    static constexpr int block_height = 8, block_width = 32;
    using Grid = Tiles<block_height, block_width>;

    static std::int64_t blocks(MatrixShape shape) { return Grid::count(shape); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block, const T* __restrict__ in, T* __restrict__ out,
                            MatrixShape shape) const {
        const TileOrigin tile = RowByRow{}.tile(Grid(shape), block.number());
        const std::int64_t row = tile.row + block.thread().y, column = tile.column + block.thread().x;
        if (row < shape.rows && column < shape.columns) out[column * shape.rows + row] = in[row * shape.pitch + column];
    }
};

}  // namespace cornerturn
