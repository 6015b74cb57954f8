// SPDX-License-Identifier: Apache-2.0
// Step 1, patent16: 16 x 16 tiles through shared memory, the pair of indices swapped.
//
// The tile is the idea from which all later steps come: a block of 16 x 16 threads fetches a tile row by row into the
// fast memory of its multiprocessor, waits until it is complete, and then writes it column by column of the tile, which
// is row by row of the output. The strided access happens in shared memory, where it costs little; both sides of the
// big memory see pieces of 16 neighbours. In nine steps: (1) cut the matrix into tiles, (2) give each to a block, each
// element to a thread; (3) place of the element read, (4) inside the matrix? (5) read it into the shared tile; (6) wait
// for the block; (7) swap the block's pair of indices and keep the thread's: place of the element written, (8) inside?
// (9) write the element at the swapped place of the tile.
#pragma once

#include "kernels/cuda/corner_turn/tiles.cuh"

namespace cornerturn {

template <class T, int Side>
struct SquareTileTurn {
    static constexpr int block_height = Side, block_width = Side;
    using Grid = Tiles<Side, Side>;  // (1), (2)
    struct Shared {
        T tile[Side][Side];
    };

    static std::int64_t blocks(MatrixShape shape) { return Grid::count(shape); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block, const T* __restrict__ in, T* __restrict__ out,
                            MatrixShape shape) const {
        auto& tile = block.template shared<Shared>().tile;
        const TileOrigin origin = RowByRow{}.tile(Grid(shape), block.number());
        const int x = block.thread().x, y = block.thread().y;
        const std::int64_t row = origin.row + y, column = origin.column + x;                          // (3)
        if (row < shape.rows && column < shape.columns) tile[y][x] = in[row * shape.pitch + column];  // (4), (5)
        block.sync();                                                                                 // (6)
        const std::int64_t out_row = origin.column + y, out_column = origin.row + x;                  // (7)
        if (out_row < shape.columns && out_column < shape.rows)
            out[out_row * shape.rows + out_column] = tile[x][y];  // (8), (9)
    }
};

template <class T>
using Patent16Turn = SquareTileTurn<T, 16>;

}  // namespace cornerturn
