// SPDX-License-Identifier: Apache-2.0
// Step 2, padded: four elements per thread, and one extra column.
//
// A thread that sums four elements of a column uses each element of b four times, and needs fewer reads for each
// multiply-add. Its four elements of a lie below each other; the tile of a is therefore stored turned, so that they
// become neighbours. Turning writes down a column of the tile, all of which lies in one bank of shared memory: the
// extra column of the corner turn's step 4 moves every row by one bank.
#pragma once

#include "kernels/cuda/matrix_product/product.cuh"

namespace cornerturn {

template <class T>
struct PaddedProduct {
    static constexpr int side = 32, per_thread = 4, block_height = side / per_thread, block_width = side;
    using Grid = Tiles<side, side>;
    struct Shared {
        T a[side][side + 1];  ///< [inner][row]
        T b[side][side];      ///< [inner][column]
    };

    static std::int64_t blocks(const ProductShape& shape) { return Grid::count(shape_of_c(shape)); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block, const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                            const ProductShape& shape) const {
        auto& tile = block.template shared<Shared>();
        const TileOrigin origin = RowByRow{}.tile(Grid(shape_of_c(shape)), block.number());
        const int x = block.thread().x, y = block.thread().y;
        T sum[per_thread] = {};
        for (std::int64_t slice = 0; slice < shape.k; slice += side) {
            for (int row = y; row < side; row += block_height) {
                tile.a[x][row] = element_or_zero(a, origin.row + row, slice + x, shape.m, shape.k);
                tile.b[row][x] = element_or_zero(b, slice + row, origin.column + x, shape.k, shape.n);
            }
            block.sync();
            for (int inner = 0; inner < side; ++inner)
                for (int i = 0; i < per_thread; ++i)
                    sum[i] = multiply_add(sum[i], tile.a[inner][y * per_thread + i], tile.b[inner][x]);
            block.sync();
        }
        for (int i = 0; i < per_thread; ++i) {
            const std::int64_t row = origin.row + y * per_thread + i, column = origin.column + x;
            if (row < shape.m && column < shape.n) c[row * shape.n + column] = sum[i];
        }
    }
};

}  // namespace cornerturn
