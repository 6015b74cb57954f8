// SPDX-License-Identifier: Apache-2.0
// Step 0, naive: every thread sums one element, straight from memory.
//
// For every multiplication two elements are read. Neighbouring threads read neighbouring elements of b and the same
// element of a, so the caches serve most of it, but the units that load are busy twice for each multiply-add: they set
// the pace, at a few percent of what the machine can multiply.
#pragma once

#include "kernels/cuda/matrix_product/product.cuh"

namespace cornerturn {

template <class T>
struct NaiveProduct {
    static constexpr int block_height = 8, block_width = 32;
    using Grid = Tiles<block_height, block_width>;

    static std::int64_t blocks(const ProductShape& shape) { return Grid::count(shape_of_c(shape)); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block, const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                            const ProductShape& shape) const {
        const TileOrigin tile = RowByRow{}.tile(Grid(shape_of_c(shape)), block.number());
        const std::int64_t row = tile.row + block.thread().y, column = tile.column + block.thread().x;
        if (row >= shape.m || column >= shape.n) return;
        T sum{};
        for (std::int64_t inner = 0; inner < shape.k; ++inner)
            sum = multiply_add(sum, a[row * shape.k + inner], b[inner * shape.n + column]);
        c[row * shape.n + column] = sum;
    }
};

}  // namespace cornerturn
