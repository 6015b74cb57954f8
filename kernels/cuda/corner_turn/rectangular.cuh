// SPDX-License-Identifier: Apache-2.0
// Step 3, rectangular: blocks that are not square.
//
// Smaller blocks wait less for each other. A tile of Height x Width needs Width x Height threads on the way out: the
// threads are numbered through and dealt anew, so that neighbours write neighbours. With 32 x 8 the reads are long and
// the writes only 8 elements (64 bytes of complex samples). With 1 x 2, which has been proposed too, a block is two
// threads of a warp's 32 and the rest of the warp idles: it shows what the shape of a block is worth.
#pragma once

#include "kernels/cuda/corner_turn/tiles.cuh"

namespace cornerturn {

template <class T, int Height, int Width>
struct RectangularTurn {
    static constexpr int block_height = Height, block_width = Width;
    using Grid = Tiles<Height, Width>;
    struct Shared {
        T tile[Height][Width];
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
        const int number = y * Width + x, row = number % Height, column = number / Height;
        if (origin.row + row < shape.rows && origin.column + column < shape.columns)
            out[(origin.column + column) * shape.rows + origin.row + row] = tile[row][column];
    }
};

}  // namespace cornerturn
