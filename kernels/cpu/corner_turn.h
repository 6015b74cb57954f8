// SPDX-License-Identifier: Apache-2.0
// The corner turn on the CPU: cache-blocked transpose, and its naive and in-place siblings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cpu/lines.h"

namespace cornerturn {

/// out[c][r] = in[r][c] for rows x columns elements. Each thread fills a strip of output rows, tile by tile, so that a tile's input
/// rows stay in cache until every output row of the strip has taken its part of them.
template <class T>
void corner_turn_on_cpu(const T* in, T* out, std::int64_t rows, std::int64_t columns, int threads) {
    constexpr std::int64_t strip = 64 / sizeof(T) * 4;  // input columns: four cache lines
    constexpr std::int64_t depth = 64;                  // input rows
    for_each_line((columns + strip - 1) / strip, threads, [=](std::int64_t s) {
        const std::int64_t first_column = s * strip, last_column = std::min(first_column + strip, columns);
        for (std::int64_t first_row = 0; first_row < rows; first_row += depth) {
            const std::int64_t last_row = std::min(first_row + depth, rows);
            for (std::int64_t column = first_column; column < last_column; ++column)
                for (std::int64_t row = first_row; row < last_row; ++row) out[column * rows + row] = in[row * columns + column];
        }
    });
}

/// The same element by element: every write is a row apart from the one before.
template <class T>
void naive_corner_turn_on_cpu(const T* in, T* out, std::int64_t rows, std::int64_t columns, int threads) {
    for_each_line(rows, threads, [=](std::int64_t row) {
        for (std::int64_t column = 0; column < columns; ++column) out[column * rows + row] = in[row * columns + column];
    });
}

/// Turns a square matrix within its own storage: a thread takes a row of tiles right of the diagonal and swaps each with its mirror.
template <class T>
void inplace_corner_turn_on_cpu(T* data, std::int64_t size, int threads) {
    constexpr std::int64_t side = 64 / sizeof(T) * 4;  // four cache lines
    for_each_line((size + side - 1) / side, threads, [=](std::int64_t tile_row) {
        const std::int64_t first_row = tile_row * side, last_row = std::min(first_row + side, size);
        for (std::int64_t first_column = first_row; first_column < size; first_column += side) {
            const std::int64_t last_column = std::min(first_column + side, size);
            for (std::int64_t row = first_row; row < last_row; ++row)
                for (std::int64_t column = std::max(first_column, row + 1); column < last_column; ++column)
                    std::swap(data[row * size + column], data[column * size + row]);
        }
    });
}

}  // namespace cornerturn
