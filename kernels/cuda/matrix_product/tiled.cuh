// SPDX-License-Identifier: Apache-2.0
// Step 1, tiled: 16 x 16 tiles of both factors through shared memory.
//
// The same idea as the corner turn's: a block fetches a tile of a and a tile of b once, waits until both are complete,
// and then every thread sums its element from them. Each element comes from the big memory n/16 and m/16 times instead
// of n and m times. Edges of any size are exact because a tile holds zeros where its matrix ends. What is left: two
// reads of shared memory for each multiply-add.
#pragma once

#include "kernels/cuda/matrix_product/product.cuh"

namespace cornerturn {

template <class T>
struct TiledProduct {
    static constexpr int side = 16, block_height = side, block_width = side;
    using Grid = Tiles<side, side>;
    struct Shared {
        T a[side][side], b[side][side];
    };

    static std::int64_t blocks(const ProductShape& shape) { return Grid::count(shape_of_c(shape)); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block, const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                            const ProductShape& shape) const {
        auto& tile = block.template shared<Shared>();
        const TileOrigin origin = RowByRow{}.tile(Grid(shape_of_c(shape)), block.number());
        const int x = block.thread().x, y = block.thread().y;
        const std::int64_t row = origin.row + y, column = origin.column + x;
        T sum{};
        for (std::int64_t slice = 0; slice < shape.k; slice += side) {
            tile.a[y][x] = element_or_zero(a, row, slice + x, shape.m, shape.k);
            tile.b[y][x] = element_or_zero(b, slice + y, column, shape.k, shape.n);
            block.sync();
            for (int inner = 0; inner < side; ++inner) sum = multiply_add(sum, tile.a[y][inner], tile.b[inner][x]);
            block.sync();
        }
        if (row < shape.m && column < shape.n) c[row * shape.n + column] = sum;
    }
};

}  // namespace cornerturn
