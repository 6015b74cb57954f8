// SPDX-License-Identifier: Apache-2.0
// Step 7, production: the order of the tiles.
//
// By now a tile is turned as fast as memory allows; what is left is which tiles are under way together. Row by row of
// tiles, the some thousand blocks that run at a time read few rows but write short pieces of very many. Walked in
// narrow vertical strips from top to bottom they write long contiguous pieces of few output rows: the last 3 to 6 % of
// the copy rate (10 % at 16384 x 16384). Complex samples go through a padded tile 8 bytes at a time, which any row
// length allows and which is as fast as 16; floats need the 16-byte accesses of the step before. Where rows and columns
// are both odd, no two rows are aligned alike, and tiles twice as high halve the number of broken pieces that are
// written.
#pragma once

#include "kernels/cuda/corner_turn/vectorized.cuh"

namespace cornerturn {

/// Vertical strips, `strip` tiles wide, each walked row by row from top to bottom.
struct StripByStrip {
    unsigned strip;

    template <int Height, int Width>
    CT_HOST_DEVICE TileOrigin tile(Tiles<Height, Width> tiles, unsigned number) const {
        const unsigned tiles_per_strip = strip * tiles.rows;
        const unsigned which = number / tiles_per_strip, inside = number - which * tiles_per_strip;
        const unsigned left = tiles.columns - which * strip;
        const unsigned width = left < strip ? left : strip;  // the last strip may be narrower
        const unsigned row = inside / width;
        return tiles.origin(row, which * strip + inside - row * width);
    }
};

/// Wide strips read a little better, narrow ones write better; rows of 64 KiB and more want the narrowest, not quite so
/// where a pitch keeps them from meeting in the same parts of memory.
template <class T>
StripByStrip strips_for(MatrixShape shape) {
    if (shape.columns * static_cast<std::int64_t>(sizeof(T)) < 65536) return {4};
    return {shape.pitch == shape.columns ? 1u : 2u};
}

template <class T, int Height>
struct StripTurn {
    static constexpr int width = 32, block_height = 8, block_width = width, threads = block_height * block_width;
    static constexpr int steps = Height * width / threads;
    using Grid = Tiles<Height, width>;
    struct Shared {
        T tile[Height][width + 1];
    };

    StripByStrip order;

    static std::int64_t blocks(MatrixShape shape) { return Grid::count(shape); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block, const T* __restrict__ in, T* __restrict__ out,
                            MatrixShape shape) const {
        auto& tile = block.template shared<Shared>().tile;
        const TileOrigin origin = order.tile(Grid(shape), block.number());
        const int rows = at_most(shape.rows - origin.row, Height),
                  columns = at_most(shape.columns - origin.column, width);
        const int x = block.thread().x, y = block.thread().y;
        const T* from = in + origin.row * shape.pitch + origin.column + x;
        T value[steps];  // all reads are on their way before the first is waited for
        for (int step = 0; step < steps; ++step) {
            const int row = y + step * block_height;
            value[step] = row < rows && x < columns ? from[row * shape.pitch] : T{};
        }
        for (int step = 0; step < steps; ++step) tile[y + step * block_height][x] = value[step];
        block.sync();
        const int number = y * block_width + x, along = number % Height, across = number / Height;
        T* to = out + origin.column * shape.rows + origin.row + along;
        for (int step = 0; step < steps; ++step) {
            const int column = across + step * (threads / Height);
            if (column < columns && along < rows) to[column * shape.rows] = tile[along][column];
        }
    }

private:
    CT_HOST_DEVICE static int at_most(std::int64_t left, int limit) {
        return left < limit ? static_cast<int>(left) : limit;
    }
};

template <class T>
using StripVectorizedTurn = VectorizedTurn<T, StripByStrip>;

/// Calls go(turn) with the fastest known turn for a matrix of this shape.
template <class T, class Go>
void with_production_turn(MatrixShape shape, Go go) {
    const StripByStrip order = strips_for<T>(shape);
    if (sizeof(T) == 4 && shape.rows % 4 == 0 && shape.columns % 4 == 0 && shape.pitch % 4 == 0)
        go(StripVectorizedTurn<T>{order});
    else if (shape.rows % 2 == 1 && shape.columns % 2 == 1)
        go(StripTurn<T, 64>{order});
    else
        go(StripTurn<T, 32>{order});
}

}  // namespace cornerturn
