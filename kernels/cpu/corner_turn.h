// SPDX-License-Identifier: Apache-2.0
// The corner turn on the CPU: cache-blocked transpose, and its naive and in-place variants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/host/line_loop.h"
#include "kernels/host/nontemporal_store.h"

namespace cornerturn {

/// out[c][r] = in[r][c] for columns [first_column, last_column): each takes `depth` rows into two whole cache lines of
/// its output row. Where output rows do not begin at a cache line, the rows that fill one begin earlier by what is left
/// of the line before.
template <class T>
void turn_strip(const T* in, T* out, std::int64_t rows, std::int64_t columns, std::int64_t pitch, std::int64_t strip,
                std::int64_t depth) {
    constexpr std::int64_t line = 64 / sizeof(T);
    for (std::int64_t first_column = 0; first_column < columns; first_column += line) {
        const std::int64_t last_column = std::min(first_column + line, columns);
        for (std::int64_t column = first_column; column < last_column; ++column) {
            const std::int64_t start = strip * depth - column * rows % line;
            const std::int64_t first_row = std::max<std::int64_t>(start, 0), last_row = std::min(start + depth, rows);
            for (std::int64_t row = first_row; row < last_row; ++row)
                stream_store(out + column * rows + row, in[row * pitch + column]);
        }
    }
    stream_fence();
}

/// out[c][r] = in[r][c] for rows x columns elements; the rows of `in` begin `pitch` elements apart. A thread walks
/// along a few rows of the input, which it reads as streams, and writes whole cache lines past the cache.
template <class T>
void corner_turn_on_cpu(const T* in, T* out, std::int64_t rows, std::int64_t columns, std::int64_t pitch, int threads) {
    constexpr std::int64_t line = 64 / sizeof(T), depth = 2 * line;
    const std::int64_t most_skew = rows % line == 0 ? 0 : line - 1;
    for_each_line((rows + most_skew + depth - 1) / depth, threads,
                  [=](std::int64_t strip) { turn_strip(in, out, rows, columns, pitch, strip, depth); });
}

/// The same element by element: every write is a row apart from the one before.
template <class T>
void naive_corner_turn_on_cpu(const T* in, T* out, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                              int threads) {
    for_each_line(rows, threads, [=](std::int64_t row) {
        for (std::int64_t column = 0; column < columns; ++column) out[column * rows + row] = in[row * pitch + column];
    });
}

/// Turns a square matrix within its own storage: a thread takes a row of tiles right of the diagonal and swaps each
/// with its mirror.
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
