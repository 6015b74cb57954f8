// SPDX-License-Identifier: Apache-2.0
// The corner turn on the CPU: cache-blocked transpose, and its naive and in-place variants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/host/lanes.h"
#include "kernels/host/line_loop.h"
#include "kernels/host/nontemporal_store.h"
#include "kernels/host/vector_clones.h"

namespace cornerturn {

/// Of samples of 8 bytes: a square of 8 x 8 is turned in vectors of 16 floats, each row of which is read once.
inline constexpr std::int64_t turned_square = 8;
CT_FOR_16_LANES inline void turn_square(const float* in, std::int64_t pitch, float* out, std::int64_t out_pitch) {
    using Vector = Lanes<2 * turned_square>;
    // Of two vectors in turn, sample by sample: the first halves of both, or the second ones.
    constexpr Vector::Ints first_halves{0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23};
    constexpr Vector::Ints second_halves{8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31};
    Vector::Floats rows[turned_square], mixed[turned_square];
    for (std::int64_t i = 0; i < turned_square; ++i) rows[i] = Vector::load_anywhere(in + 2 * pitch * i);
    for (int stage = 1; stage < turned_square; stage *= 2) {
        for (std::int64_t i = 0; i < turned_square / 2; ++i) {
            mixed[2 * i] = shuffled(rows[i], rows[i + turned_square / 2], first_halves);
            mixed[2 * i + 1] = shuffled(rows[i], rows[i + turned_square / 2], second_halves);
        }
        std::copy_n(mixed, turned_square, rows);
    }
    for (std::int64_t i = 0; i < turned_square; ++i) Vector::store_anywhere(rows[i], out + 2 * out_pitch * i);
}

/// out[c][r] = in[r][c] for `Depth` rows and the columns that fill squares, where output rows begin at a cache line;
/// returns how many columns that are.
template <std::int64_t Depth, class T>
CT_FOR_16_LANES std::int64_t turn_squares(const T* in, T* out, std::int64_t rows, std::int64_t columns,
                                          std::int64_t pitch) {
    alignas(64) T tile[turned_square][Depth];
    std::int64_t first = 0;
    for (; first + turned_square <= columns; first += turned_square) {
        for (std::int64_t row = 0; row < Depth; row += turned_square)
            turn_square(reinterpret_cast<const float*>(in + row * pitch + first), pitch,
                        reinterpret_cast<float*>(tile[0] + row), Depth);
        for (std::int64_t i = 0; i < turned_square; ++i) stream_line(tile[i], Depth, out + (first + i) * rows);
    }
    return first;
}

/// out[c][r] = in[r][c] for columns [first_column, last_column): each takes `Depth` rows into two whole cache lines of
/// its output row. Where output rows do not begin at a cache line, the rows that fill one begin earlier by what is left
/// of the line before.
template <std::int64_t Depth, class T>
void turn_strip(const T* in, T* out, std::int64_t rows, std::int64_t columns, std::int64_t pitch, std::int64_t strip,
                bool squares) {
    constexpr std::int64_t line = 64 / sizeof(T);
    std::int64_t first_column = 0;
    if constexpr (line == turned_square)
        if (squares && (strip + 1) * Depth <= rows)
            first_column = turn_squares<Depth>(in + strip * Depth * pitch, out + strip * Depth, rows, columns, pitch);
    for (; first_column < columns; first_column += line) {
        const std::int64_t last_column = std::min(first_column + line, columns);
        for (std::int64_t column = first_column; column < last_column; ++column) {
            const std::int64_t start = strip * Depth - column * rows % line;
            const std::int64_t first_row = std::max<std::int64_t>(start, 0), last_row = std::min(start + Depth, rows);
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
    const bool squares = most_skew == 0 && vector_lanes() == 2 * turned_square;
    for_each_line((rows + most_skew + depth - 1) / depth, threads,
                  [=](std::int64_t strip) { turn_strip<depth>(in, out, rows, columns, pitch, strip, squares); });
}

/// The same element by element: every write is a row apart from the one before.
template <class T>
void naive_corner_turn_on_cpu(const T* in, T* out, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                              int threads) {
    for_each_line(rows, threads, [=](std::int64_t row) {
        for (std::int64_t column = 0; column < columns; ++column) out[column * rows + row] = in[row * pitch + column];
    });
}

/// out[c][r] = in[r][c] for whole squares; both begin `pitch` apart.
template <class T>
CT_FOR_16_LANES void turn_whole_squares(const T* in, std::int64_t pitch, std::int64_t rows, std::int64_t columns,
                                        T* out, std::int64_t out_pitch) {
    for (std::int64_t column = 0; column < columns; column += turned_square)
        for (std::int64_t row = 0; row < rows; row += turned_square)
            turn_square(reinterpret_cast<const float*>(in + row * pitch + column), pitch,
                        reinterpret_cast<float*>(out + column * out_pitch + row), out_pitch);
}

/// out[c][r] = in[r][c] of so few elements that they stay in cache.
template <class T>
void turn_in_cache(const T* in, std::int64_t pitch, std::int64_t rows, std::int64_t columns, T* out,
                   std::int64_t out_pitch) {
    std::int64_t done_rows = 0, done_columns = 0;
    if constexpr (sizeof(T) == sizeof(Complex64))
        if (vector_lanes() == 2 * turned_square) {
            done_rows = rows / turned_square * turned_square;
            done_columns = columns / turned_square * turned_square;
            turn_whole_squares(in, pitch, done_rows, done_columns, out, out_pitch);
        }
    for (std::int64_t column = 0; column < columns; ++column)
        for (std::int64_t row = column < done_columns ? done_rows : 0; row < rows; ++row)
            out[column * out_pitch + row] = in[row * pitch + column];
}

/// Rows of a matrix that are turned at a time.
inline constexpr std::int64_t turned_rows = 64;

/// Some columns of a matrix of so many rows to lines, by a thread of its own: lines[c][r] = matrix[r][c].
template <class T>
void columns_to_lines(const T* matrix, std::int64_t pitch, std::int64_t rows, std::int64_t columns, T* lines,
                      std::int64_t line_pitch) {
    for (std::int64_t row = 0; row < rows; row += turned_rows)
        turn_in_cache(matrix + row * pitch, pitch, std::min(turned_rows, rows - row), columns, lines + row, line_pitch);
}

/// And back.
template <class T>
void lines_to_columns(const T* lines, std::int64_t line_pitch, std::int64_t rows, std::int64_t columns, T* matrix,
                      std::int64_t pitch) {
    for (std::int64_t row = 0; row < rows; row += turned_rows)
        turn_in_cache(lines + row, line_pitch, columns, std::min(turned_rows, rows - row), matrix + row * pitch, pitch);
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
