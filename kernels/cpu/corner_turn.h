// SPDX-License-Identifier: Apache-2.0
// The corner turn on the CPU: cache-blocked transpose.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/complex.h"
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

}  // namespace cornerturn
