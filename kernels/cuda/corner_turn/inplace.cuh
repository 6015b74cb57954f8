// SPDX-License-Identifier: Apache-2.0
// Aside, inplace: a square matrix within its own storage.
//
// Half the memory: what counts where the matrix is most of it. A tile cannot be written before what lies there has been
// read, so a block takes a pair of tiles, mirrored at the diagonal, reads both, waits, and writes each in the other's
// place, 16 bytes at a time as in vectorized.cuh. The tiles on the diagonal are their own mirror. Only the pairs above
// it are numbered: row r of the upper triangle of tiles and row (last - r) together have the same length for every r,
// so that the triangle folds into a rectangle and a division finds the pair. Where the side is no multiple of V, and at
// the edge, single elements go through the same tiles.
#pragma once

#include "kernels/cuda/corner_turn/tiles.cuh"

namespace cornerturn {

template <class T>
struct InplaceTurn {
    static constexpr int lanes = 16 / sizeof(T);              // V
    static constexpr int block_height = 8, block_width = 16;  // squares of V x V elements; a tile has 16 x 16
    static constexpr int side = block_width * lanes, threads = block_height * block_width;
    static constexpr int squares = block_width * block_width / threads;  // of a thread in a tile
    struct alignas(16) SixteenBytes {
        T lane[lanes];
    };
    using Tile = SixteenBytes[side][block_width];  // rows of the turned tile
    struct Shared {
        Tile upper, lower;
    };
    struct Pair {
        std::int64_t row, column;  // of the upper tile, counted in tiles; row <= column
    };

    static std::int64_t tiles(std::int64_t size) { return (size + side - 1) / side; }
    static std::int64_t blocks(MatrixShape shape) { return tiles(shape.rows) * (tiles(shape.rows) + 1) / 2; }

    CT_HOST_DEVICE static Pair pair(unsigned number, unsigned tile_rows) {
        const unsigned even =
            1 - tile_rows % 2;  // an even triangle folds into rows of tile_rows + 1, an odd one into tile_rows
        const unsigned length = tile_rows + even;
        const unsigned row = number / length, place = number - row * length;
        if (place >= row + even) return {row, place - even};
        return {tile_rows - row - even, tile_rows - 1 - place};
    }

    /// `data` holds shape.rows == shape.columns, packed.
    template <class Block>
    CT_HOST_DEVICE void run(const Block& block, const T*, T* data, MatrixShape shape) const {
        auto& shared = block.template shared<Shared>();
        const std::int64_t size = shape.rows;
        const Pair tile = pair(block.number(), static_cast<unsigned>((size + side - 1) / side));
        const std::int64_t row = tile.row * side, column = tile.column * side;
        const bool mirrored = tile.row != tile.column;
        const int x = block.thread().x, y = block.thread().y;
        if (size % lanes == 0 && column + side <= size) {
            T* upper = data + row * size + column;
            T* lower = data + column * size + row;
            SixteenBytes of_upper[squares][lanes], of_lower[squares][lanes];
            read_squares(upper, size, x, y, of_upper);
            if (mirrored) read_squares(lower, size, x, y, of_lower);
            put_squares(of_upper, x, y, shared.upper);
            if (mirrored) put_squares(of_lower, x, y, shared.lower);
            block.sync();
            write_rows(shared.upper, lower, size, x, y);
            if (mirrored) write_rows(shared.lower, upper, size, x, y);
        } else {
            read_elements(data, size, row, column, x, y, shared.upper);
            if (mirrored) read_elements(data, size, column, row, x, y, shared.lower);
            block.sync();
            write_elements(shared.upper, data, size, column, row, x, y);
            if (mirrored) write_elements(shared.lower, data, size, row, column, x, y);
        }
    }

private:
    CT_HOST_DEVICE static int swizzled(int piece, int turned_row) { return piece ^ (turned_row / lanes % 8); }

    CT_HOST_DEVICE static void read_squares(const T* from, std::int64_t size, int x, int y,
                                            SixteenBytes (&square)[squares][lanes]) {
        for (int k = 0; k < squares; ++k)
            for (int i = 0; i < lanes; ++i)
                square[k][i] = *reinterpret_cast<const SixteenBytes*>(
                    from + (lanes * (y + k * block_height) + i) * size + lanes * x);
    }

    /// Turns the squares in the registers.
    CT_HOST_DEVICE static void put_squares(const SixteenBytes (&square)[squares][lanes], int x, int y, Tile& tile) {
        for (int k = 0; k < squares; ++k)
            for (int i = 0; i < lanes; ++i) {
                SixteenBytes of_column;
                for (int j = 0; j < lanes; ++j) of_column.lane[j] = square[k][j].lane[i];
                tile[lanes * x + i][swizzled(y + k * block_height, lanes * x + i)] = of_column;
            }
    }

    CT_HOST_DEVICE static void write_rows(const Tile& tile, T* to, std::int64_t size, int x, int y) {
        for (int k = 0; k < squares * lanes; ++k) {
            const int row = y + k * block_height;
            *reinterpret_cast<SixteenBytes*>(to + row * size + lanes * x) = tile[row][swizzled(x, row)];
        }
    }

    CT_HOST_DEVICE static void read_elements(const T* data, std::int64_t size, std::int64_t row, std::int64_t column,
                                             int x, int y, Tile& tile) {
        for (int number = y * block_width + x; number < side * side; number += threads) {
            const int r = number / side, c = number % side;
            if (row + r < size && column + c < size)
                tile[c][swizzled(r / lanes, c)].lane[r % lanes] = data[(row + r) * size + column + c];
        }
    }

    CT_HOST_DEVICE static void write_elements(const Tile& tile, T* data, std::int64_t size, std::int64_t row,
                                              std::int64_t column, int x, int y) {
        for (int number = y * block_width + x; number < side * side; number += threads) {
            const int r = number / side, c = number % side;
            if (row + r < size && column + c < size)
                data[(row + r) * size + column + c] = tile[r][swizzled(c / lanes, r)].lane[c % lanes];
        }
    }
};

}  // namespace cornerturn
