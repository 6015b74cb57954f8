// SPDX-License-Identifier: Apache-2.0
// Step 5, coarsened: several rows per thread.
//
// Memory answers after hundreds of cycles; it is fast only if very many requests are on their way. Here 32 x 8 threads
// turn a 32 x 32 tile, four elements each. A thread asks for all four before it waits for the first, index arithmetic
// is paid once for four elements, and with 256 threads in a block several blocks share a multiprocessor: while one
// waits at its barrier, others read.
#pragma once

#include "kernels/cuda/corner_turn/tiles.cuh"

namespace cornerturn {

template <class T>
struct CoarsenedTurn {
    static constexpr int side = 32, block_height = 8, block_width = side, steps = side / block_height;
    using Grid = Tiles<side, side>;
    struct Shared {
        T tile[side][side + 1];
    };

    static std::int64_t blocks(MatrixShape shape) { return Grid::count(shape); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block, const T* __restrict__ in, T* __restrict__ out,
                            MatrixShape shape) const {
        auto& tile = block.template shared<Shared>().tile;
        const TileOrigin origin = RowByRow{}.tile(Grid(shape), block.number());
        const int x = block.thread().x, first_y = block.thread().y;
        T value[steps];
        for (int step = 0; step < steps; ++step) {
            const int y = first_y + step * block_height;
            const bool inside = origin.row + y < shape.rows && origin.column + x < shape.columns;
            value[step] = inside ? in[(origin.row + y) * shape.pitch + origin.column + x] : T{};
        }
        for (int step = 0; step < steps; ++step) tile[first_y + step * block_height][x] = value[step];
        block.sync();
        for (int step = 0; step < steps; ++step) {
            const int y = first_y + step * block_height;
            if (origin.column + y < shape.columns && origin.row + x < shape.rows)
                out[(origin.column + y) * shape.rows + origin.row + x] = tile[x][y];
        }
    }
};

}  // namespace cornerturn
