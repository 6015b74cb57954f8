// SPDX-License-Identifier: Apache-2.0
// Step 4, padded: one extra column.
//
// Shared memory has 32 banks of 4 bytes that serve one word each at a time. The elements of a column of a 32-wide tile
// all lie in the same bank (complex samples: in the same two), so a warp that reads the column waits for its 32 turns
// one after the other. A 33rd column that nobody uses moves every row by one bank: rows and columns are then both free
// of conflicts, for 3 % more shared memory.
#pragma once

#include "kernels/cuda/corner_turn/tiles.cuh"

namespace cornerturn {

template <class T>
struct PaddedTurn {
    static constexpr int side = 32, block_height = side, block_width = side;
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
        const int x = block.thread().x, y = block.thread().y;
        if (origin.row + y < shape.rows && origin.column + x < shape.columns)
            tile[y][x] = in[(origin.row + y) * shape.pitch + origin.column + x];
        block.sync();
        if (origin.column + y < shape.columns && origin.row + x < shape.rows)
            out[(origin.column + y) * shape.rows + origin.row + x] = tile[x][y];
    }
};

}  // namespace cornerturn
