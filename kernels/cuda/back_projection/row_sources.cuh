// SPDX-License-Identifier: Apache-2.0
// What threads share of the lines or blocks that several rows are interpolated of.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/back_projection/cell_interpolation.cuh"
#include "kernels/cuda/back_projection/factor_views.h"
#include "kernels/cuda/back_projection/warp_laws.cuh"
#include "kernels/cuda/launch/unrolled.h"
#include "kernels/math/phasor.h"

namespace cornerturn {

/// What several rows of nodes or pixels are interpolated of: a line, or a block of lines.
struct RowSource {
    const double* along;      ///< powers of the laws of the first row, one law behind the other: cell, cycles and more
    int row_stride;           ///< powers from row to row
    int first_row, last_row;  ///< that are there
    const IndexRange* columns;
    bool columns_alike;  ///< in all rows; otherwise there are some of each
    LawColumns of_laws;

    CT_HOST_DEVICE const double* law(int row) const { return along + row * row_stride; }
    CT_HOST_DEVICE IndexRange columns_of(int row) const {
        const bool there = row >= first_row && row < last_row;
        return there ? columns[columns_alike ? 0 : row] : IndexRange{0, 0};
    }
};

/// What threads share of some sources: where columns arrive in them, and which cells that takes.
template <int Terms>
struct ReadySources {
    static constexpr int most = 4;
    struct Cells {
        std::int64_t first;
        int filled;
        bool whole;  ///< all of them are there
    };
    double ends[most][rows_at_once][2];  ///< cells of the first and the last column of a row
    int whole_ends[most][rows_at_once][2];
    Cells cells[most];
    WarpLaws<Terms> laws[factor_warps][most][rows_at_once];

    /// Finds which cells `count` sources, as source(number) tells of them, have to lend: up to `capacity`, otherwise
    /// `failed` is set.
    template <class Block, class Source>
    CT_HOST_DEVICE void find_cells(const Block& block, int count, int taps, int capacity, int* failed,
                                   const Source& source) {
        for (int i = block.thread().x; i < 2 * count * rows_at_once; i += factor_threads) {
            const int number = i / 2 / rows_at_once, row = i / 2 % rows_at_once;
            const RowSource from = source(number);
            const IndexRange columns = from.columns_of(row);
            int whole = none;
            if (columns.first < columns.last) {
                const double cell =
                    law_at<Terms>(from.law(row), from.of_laws.part(i % 2 == 0 ? columns.first : columns.last - 1));
                ends[number][row][i % 2] = cell;
                whole = std::fabs(cell) < none ? static_cast<int>(std::floor(cell)) : none;
            }
            whole_ends[number][row][i % 2] = whole;
        }
        block.sync();
        for (int number = block.thread().x; number < count; number += factor_threads) {
            int low = none, high = -none;
            for (int row = 0; row < rows_at_once; ++row)
                for (const int end : whole_ends[number][row]) {
                    low = end < low ? end : low;
                    high = end > high && end != none ? end : high;
                }
            const bool some = low <= high, fits = some && high - low + taps + 2 <= capacity;
            if (some && !fits) *failed = 1;
            cells[number] = {low - taps / 2, fits ? high - low + taps + 2 : 0, fits};
        }
        block.sync();
    }
    /// Makes the laws of each warp ready.
    template <class Block, class Source>
    CT_HOST_DEVICE void find_laws(const Block& block, int count, std::int64_t first_column, int taps,
                                  const Source& source) {
        const int warp = block.thread().x / warp_columns, lane = block.thread().x % warp_columns;
        const std::int64_t begin = first_column + warp * warp_columns;
        for (int i = lane; i < 2 * count * rows_at_once; i += warp_columns) {
            const int number = i / 2 / rows_at_once, row = i / 2 % rows_at_once, law = i % 2;
            const RowSource from = source(number);
            const IndexRange columns = from.columns_of(row);
            WarpLaws<Terms>& to = laws[warp][number][row];
            const std::int64_t first = columns.first > begin ? columns.first - begin : 0,
                               end = columns.last - begin < warp_columns ? columns.last - begin : warp_columns;
            if (first < end) {
                const double about = from.of_laws.part(begin + warp_columns / 2),
                             half = from.of_laws.per_column * (warp_columns / 2);
                to.set(law, from.law(row) + law * Terms, about, half,
                       static_cast<double>(cells[number].first + taps / 2 - 1));
                if (law == 0) to.first_place = place_in_warp(static_cast<int>(first));
                if (law == 1) to.last_place = place_in_warp(static_cast<int>(end) - 1);
            } else if (law == 0) {
                to.clear();
            }
        }
    }
    /// Adds to the sums of a thread's column what it reads of cells, which lie `apart` from row to row. Sums of columns
    /// that the laws are not for stay as they are if they are `kept`. False where cells are missing.
    template <int Taps, int Planes, bool Kept, class Block>
    CT_HOST_DEVICE bool add(const Block& block, int number, const TapPolynomials<Taps>& weights, int taps,
                            const Complex64* of_cells, int apart, int room, Complex64 (&sum)[rows_at_once]) const {
        constexpr float to_whole = 12582912.0f;  // 1.5 * 2^23
        constexpr int bits_of_whole = 0x4b400000;
        const int warp = block.thread().x / warp_columns, lane = block.thread().x % warp_columns;
        const auto last_tap = static_cast<unsigned>(cells[number].filled - taps);
        const float place = place_in_warp(lane);
        unsigned most_tap = 0;
        unrolled<rows_at_once>([&]<int R>() {
            const WarpLaws<Terms>& law = laws[warp][number][R];
            const float at = std::fmin(std::fmax(place, law.first_place), law.last_place),
                        cell = law.template at<WarpLaws<Terms>::of_cell>(at), shifted = cell + to_whole;
            int whole;
            std::memcpy(&whole, &shifted, sizeof whole);
            const auto tap = static_cast<unsigned>(law.first_tap + (whole - bits_of_whole));
            most_tap = tap > most_tap ? tap : most_tap;
            const SharedCells<Planes> read(of_cells + R * apart, room,
                                           static_cast<int>(tap < last_tap ? tap : last_tap));
            const Complex64 value = block.phasor(law.template at<WarpLaws<Terms>::of_cycles>(at)) *
                                    weights.at(cell - (shifted - to_whole), read);
            const bool counts = !Kept || at == place;
            sum[R] = {sum[R].re + (counts ? value.re : 0), sum[R].im + (counts ? value.im : 0)};
        });
        return most_tap <= last_tap;
    }

private:
    static constexpr int none = 1000000000;  ///< beyond any cell
};

}  // namespace cornerturn
