// SPDX-License-Identifier: Apache-2.0
// Aside, inplace: a square matrix within its own storage.
//
// Half the memory: what counts where the matrix is most of it. A tile cannot be written before what lies there has been read, so a block
// takes a pair of tiles, mirrored at the diagonal, reads both into shared memory, waits, and writes each in the other's place. The tiles
// on the diagonal are their own mirror. Only the pairs above it are numbered: row r of the upper triangle of tiles and row (last - r)
// together have the same length for every r, so that the triangle folds into a rectangle and a division finds the pair.
#pragma once

#include "kernels/cuda/corner_turn/tiles.cuh"

namespace cornerturn {

template <class T>
struct InplaceTurn {
    static constexpr int side = 32, block_height = 8, block_width = side, steps = side / block_height;
    struct Shared {
        T upper[side][side + 1], lower[side][side + 1];
    };
    struct Pair {
        std::int64_t row, column;  // of the upper tile, counted in tiles; row <= column
    };

    static std::int64_t tiles(std::int64_t size) { return (size + side - 1) / side; }
    static std::int64_t blocks(MatrixShape shape) { return tiles(shape.rows) * (tiles(shape.rows) + 1) / 2; }

    CT_HOST_DEVICE static Pair pair(unsigned number, unsigned tile_rows) {
        const unsigned even = 1 - tile_rows % 2;  // an even triangle folds into rows of tile_rows + 1, an odd one into tile_rows
        const unsigned length = tile_rows + even;
        const unsigned row = number / length, place = number - row * length;
        if (place >= row + even) return {row, place - even};
        return {tile_rows - row - even, tile_rows - 1 - place};
    }

    /// `data` holds shape.rows == shape.columns.
    template <class Block>
    CT_HOST_DEVICE void run(const Block& block, const T*, T* data, MatrixShape shape) const {
        auto& shared = block.template shared<Shared>();
        const std::int64_t size = shape.rows;
        const Pair tile = pair(block.number(), static_cast<unsigned>((size + side - 1) / side));
        const std::int64_t row = tile.row * side, column = tile.column * side;
        const bool mirrored = tile.row != tile.column;
        T upper[steps], lower[steps];
        read(block, data, size, row, column, upper);
        if (mirrored) read(block, data, size, column, row, lower);
        put(block, upper, shared.upper);
        if (mirrored) put(block, lower, shared.lower);
        block.sync();
        write(block, shared.upper, data, size, column, row);
        if (mirrored) write(block, shared.lower, data, size, row, column);
    }

private:
    template <class Block>
    CT_HOST_DEVICE static void read(const Block& block, const T* data, std::int64_t size, std::int64_t row, std::int64_t column,
                                    T (&value)[steps]) {
        const int x = block.thread().x;
        for (int step = 0; step < steps; ++step) {
            const int y = block.thread().y + step * block_height;
            value[step] = row + y < size && column + x < size ? data[(row + y) * size + column + x] : T{};
        }
    }

    template <class Block>
    CT_HOST_DEVICE static void put(const Block& block, const T (&value)[steps], T (&tile)[side][side + 1]) {
        for (int step = 0; step < steps; ++step) tile[block.thread().y + step * block_height][block.thread().x] = value[step];
    }

    template <class Block>
    CT_HOST_DEVICE static void write(const Block& block, const T (&tile)[side][side + 1], T* data, std::int64_t size, std::int64_t row,
                                     std::int64_t column) {
        const int x = block.thread().x;
        for (int step = 0; step < steps; ++step) {
            const int y = block.thread().y + step * block_height;
            if (row + y < size && column + x < size) data[(row + y) * size + column + x] = tile[x][y];
        }
    }
};

}  // namespace cornerturn
