// SPDX-License-Identifier: Apache-2.0
// The corner turn across GPUs: a block reads a tile of its own slab and writes it turned into the memory of the GPU
// that takes those columns. Nothing is packed, and no byte passes through memory twice. Neighbouring blocks write to
// different GPUs, each GPU begins with itself, so that all links are busy all the time; the blocks of one destination
// go down the rows, so that they write long pieces.
#pragma once

#include "kernels/device/slabs.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// GPUs that exchange among each other at most.
inline constexpr int most_exchange_parts = 16;

struct ExchangeTurn {
    static constexpr int side = 32, block_width = side, block_height = 8;
    struct Shared {
        Complex64 tile[side][side + 1];
    };

    Slabs rows, columns;
    int self;
    const Complex64* in;                  ///< this GPU's slab of the rows
    Complex64* out[most_exchange_parts];  ///< each GPU's slab of the columns, turned

    CT_HOST_DEVICE std::int64_t tile_rows() const { return (rows.size(self) + side - 1) / side; }
    CT_HOST_DEVICE std::int64_t blocks() const {
        return rows.parts * tile_rows() * ((columns.largest() + side - 1) / side);
    }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        auto& tile = block.template shared<Shared>().tile;
        const auto parts = static_cast<unsigned>(rows.parts), high = static_cast<unsigned>(tile_rows());
        const unsigned number = block.number() / parts, across = number / high;
        const int to = static_cast<int>((block.number() % parts + static_cast<unsigned>(self)) % parts);
        const std::int64_t first_column = static_cast<std::int64_t>(across) * side;
        const std::int64_t first_row = static_cast<std::int64_t>(number - across * high) * side;
        const std::int64_t of_columns = columns.size(to), of_rows = rows.size(self);
        const Complex64* const from = in + columns.first(to);
        const int x = block.thread().x;
        for (int y = block.thread().y; y < side; y += block_height)
            if (first_row + y < of_rows && first_column + x < of_columns)
                tile[y][x] = from[(first_row + y) * columns.rows + first_column + x];
        block.sync();
        Complex64* const turned = out[to] + rows.first(self) + first_row;
        for (int y = block.thread().y; y < side; y += block_height)
            if (first_column + y < of_columns && first_row + x < of_rows)
                turned[(first_column + y) * rows.rows + x] = tile[x][y];
    }
};

}  // namespace cornerturn
