// SPDX-License-Identifier: Apache-2.0
// Step 6, vectorized: 16 bytes at a time.
//
// A thread moves a square of V x V elements, V of which fill 16 bytes (2 complex samples, 4 floats), the widest access
// there is: fewer instructions for the same bytes. It reads V pieces of neighbouring rows, turns the square in its
// registers and puts the V columns into the tile as 16-byte pieces. Padding by one element would misalign these;
// instead piece p of tile row r lies at p ^ (r / V mod 8): eight threads, which is what shared memory serves at a time
// for 16 bytes, then always meet all 32 banks, writing and reading. Needs rows, columns and pitch that are multiples of
// V; other matrices, and tiles at the edge, go element by element through the same tile.
#pragma once

#include "kernels/cuda/corner_turn/tiles.cuh"

namespace cornerturn {

template <class T, class Order = RowByRow>
struct VectorizedTurn {
    static constexpr int lanes = 16 / sizeof(T);               // V
    static constexpr int block_height = 16, block_width = 16;  // squares of a tile
    static constexpr int side = 16 * lanes;
    using Grid = Tiles<side, side>;
    struct alignas(16) SixteenBytes {
        T lane[lanes];
    };
    struct Shared {
        SixteenBytes tile[side][block_width];  // rows of the output
    };

    Order order;

    static std::int64_t blocks(MatrixShape shape) { return Grid::count(shape); }
    CT_HOST_DEVICE static int swizzled(int piece, int out_row) { return piece ^ (out_row / lanes % 8); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block, const T* __restrict__ in, T* __restrict__ out,
                            MatrixShape shape) const {
        const TileOrigin origin = order.tile(Grid(shape), block.number());
        const bool aligned = shape.rows % lanes == 0 && shape.columns % lanes == 0 && shape.pitch % lanes == 0;
        if (aligned && origin.row + side <= shape.rows && origin.column + side <= shape.columns)
            turn_whole(block, in + origin.row * shape.pitch + origin.column,
                       out + origin.column * shape.rows + origin.row, shape);
        else
            turn_part(block, in, out, shape, origin);
    }

private:
    template <class Block>
    CT_HOST_DEVICE static void turn_whole(const Block& block, const T* __restrict__ in, T* __restrict__ out,
                                          MatrixShape shape) {
        auto& tile = block.template shared<Shared>().tile;
        const int x = block.thread().x, y = block.thread().y;
        SixteenBytes of_row[lanes];
        for (int i = 0; i < lanes; ++i)
            of_row[i] = *reinterpret_cast<const SixteenBytes*>(in + (lanes * y + i) * shape.pitch + lanes * x);
        for (int i = 0; i < lanes; ++i) {
            SixteenBytes of_column;
            for (int k = 0; k < lanes; ++k) of_column.lane[k] = of_row[k].lane[i];
            tile[lanes * x + i][swizzled(y, lanes * x + i)] = of_column;
        }
        block.sync();
        for (int i = 0; i < lanes; ++i) {
            const int out_row = y + i * block_height;
            *reinterpret_cast<SixteenBytes*>(out + out_row * shape.rows + lanes * x) =
                tile[out_row][swizzled(x, out_row)];
        }
    }

    template <class Block>
    CT_HOST_DEVICE static void turn_part(const Block& block, const T* __restrict__ in, T* __restrict__ out,
                                         MatrixShape shape, TileOrigin origin) {
        auto& tile = block.template shared<Shared>().tile;
        const int first = block.thread().y * block_width + block.thread().x;
        for (int number = first; number < side * side; number += block_height * block_width) {
            const int row = number / side, column = number % side;
            if (origin.row + row < shape.rows && origin.column + column < shape.columns)
                tile[column][swizzled(row / lanes, column)].lane[row % lanes] =
                    in[(origin.row + row) * shape.pitch + origin.column + column];
        }
        block.sync();
        for (int number = first; number < side * side; number += block_height * block_width) {
            const int row = number % side, column = number / side;
            if (origin.row + row < shape.rows && origin.column + column < shape.columns)
                out[(origin.column + column) * shape.rows + origin.row + row] =
                    tile[column][swizzled(row / lanes, column)].lane[row % lanes];
        }
    }
};

}  // namespace cornerturn
