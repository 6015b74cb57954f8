// SPDX-License-Identifier: Apache-2.0
// What kernels of factorised back-projection are made of: laws about the columns of a warp, interpolation between
// cells, and rows that are blended of those of a block's nodes. Several rows are formed together, so that each number
// that is read serves all of them, and what threads compute fits into single precision about the middle of their warp.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernels/cuda/back_projection/factor_views.h"
#include "kernels/cuda/launch/unrolled.h"
#include "kernels/math/chebyshev.h"
#include "kernels/math/complex.h"
#include "kernels/math/phasor.h"
#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// Calls f with the least number of taps or of terms that kernels are compiled for and that holds so many: what is
/// beyond has weight zero.
template <class F>
void with_taps_for(int taps, const F& f) {
    if (taps <= 6) return f(std::integral_constant<int, 6>{});
    if (taps <= 8) return f(std::integral_constant<int, 8>{});
    if (taps <= 10) return f(std::integral_constant<int, 10>{});
    if (taps <= 12) return f(std::integral_constant<int, 12>{});
    f(std::integral_constant<int, 24>{});
}
template <class F>
void with_terms_for(int terms, const F& f) {
    if (terms <= 6) return f(std::integral_constant<int, 6>{});
    if (terms <= 10) return f(std::integral_constant<int, 10>{});
    f(std::integral_constant<int, most_law_terms>{});
}

/// Calls f.operator()<Taps, Terms>() of both.
template <class F>
void with_size_for(int taps, int terms, const F& f) {
    with_taps_for(taps, [&](auto padded) {
        with_terms_for(terms,
                       [&](auto most) { f.template operator()<decltype(padded)::value, decltype(most)::value>(); });
    });
}

/// Terms of laws, over rows and along them.
struct LawTerms {
    int rows, columns;
    CT_HOST_DEVICE std::int64_t points() const { return static_cast<std::int64_t>(rows) * columns; }
};
/// A power of a law's polynomial along a row.
CT_HOST_DEVICE double power_along(const LawTerms& terms, const double* law, int power, double row_part) {
    return power < terms.columns ? polynomial(law + power * terms.rows, terms.rows, row_part) : 0.0;
}
template <int Terms>
CT_HOST_DEVICE double law_at(const double* powers, double part) {
    double sum = 0;
    unrolled<Terms>([&]<int K>() { sum = sum * part + powers[Terms - 1 - K]; });
    return sum;
}

/// Threads of a block, each with a column of its own, and the columns of a warp.
inline constexpr int factor_threads = 128, warp_columns = 32, factor_warps = factor_threads / warp_columns;

/// Whether a thread's warp has none of a block's columns.
template <class Block>
CT_HOST_DEVICE bool warp_is_empty(const Block& block, IndexRange columns) {
    return columns.first + block.thread().x / warp_columns * warp_columns >= columns.last;
}

/// Where the columns of a warp arrive on a row: the polynomials along it, over -1 to 1 about the warp's middle. What
/// goes from column to column there is small enough for single precision.
template <int Terms>
struct alignas(16) WarpLaws {
    float first_place, last_place;  ///< of the warp's columns that the laws are for
    int first_tap;                  ///< number of the cell about which `of_cell` counts
    float term[2][Terms];           ///< of the cell, from half a cell before on, and of the cycles, but whole ones

    static constexpr int of_cell = 0, of_cycles = 1, middle = warp_columns / 2;
    static CT_HOST_DEVICE float place_of(int lane) {
        return static_cast<float>(lane - middle) * (1.0f / static_cast<float>(middle));
    }
    /// From powers along the row, of which these are about the middle over half a warp. Whole cells go into
    /// `first_tap`, from `origin` on.
    CT_HOST_DEVICE void set(int law, const double* powers, double about, double half, double origin) {
        double local[Terms], scale = 1;
        unrolled<Terms>([&]<int K>() { local[K] = powers[K]; });
        // Horner's scheme, again and again.
        unrolled<Terms - 1>([&]<int I>() {
            unrolled<Terms - 1 - I>([&]<int K>() { local[Terms - 2 - K] += about * local[Terms - 1 - K]; });
        });
        unrolled<Terms>([&]<int K>() { local[K] *= scale, scale *= half; });
        // Whole cycles from column to column are none.
        if (law == of_cycles) local[1] -= middle * std::rint(local[1] / middle);
        const double whole = law == of_cell ? std::floor(local[0]) : std::rint(local[0]);
        local[0] -= law == of_cell ? whole + 0.5 : whole;
        unrolled<Terms>([&]<int K>() { term[law][K] = static_cast<float>(local[K]); });
        if (law == of_cell) first_tap = static_cast<int>(whole - origin);
    }
    /// No column is.
    CT_HOST_DEVICE void clear() {
        first_place = last_place = 2;
        first_tap = 0;
        unrolled<2 * Terms>([&]<int K>() { term[K / Terms][K % Terms] = 0; });
    }
    template <int Law>
    CT_HOST_DEVICE float at(float place) const {
        float sum = term[Law][Terms - 1];
        unrolled<Terms - 1>([&]<int K>() { sum = sum * place + term[Law][Terms - 2 - K]; });
        return sum;
    }
};

/// Cells of a row in shared memory. Where columns lie two cells apart, even and odd cells lie apart, so that threads of
/// a warp read from different banks.
template <int Planes>
struct SharedCells {
    const Complex64 *even, *odd;  ///< from a cell on: what lies an even and an odd number behind it

    CT_HOST_DEVICE SharedCells(const Complex64* row, int room, int cell) {
        if constexpr (Planes == 1) {
            even = odd = row + cell;
        } else {
            const int plane = room / 2;
            even = row + ((cell & 1) != 0 ? plane : 0) + cell / 2;
            odd = row + ((cell & 1) != 0 ? 1 : plane) + cell / 2;
        }
    }
    template <int Number>
    CT_HOST_DEVICE Complex64 at() const {
        if constexpr (Planes == 1) return even[Number];
        return (Number % 2 == 0 ? even : odd)[Number / 2];
    }
    /// Where a cell is put.
    static CT_HOST_DEVICE int place(int room, int cell) {
        return Planes == 1 ? cell : (cell & 1) * (room / 2) + cell / 2;
    }
    /// Room for so many: half a row of banks between its planes.
    static CT_HOST_DEVICE int room_for(int cells) { return (cells + 31) / 32 * 32 + 16; }
};

/// Interpolation along range: weights are polynomials of the place between two cells, which leaves less than -94 dB.
/// Taps that mirror each other share their even and odd parts. Taps beyond those of the interpolation, as many on
/// either side, have weight zero.
template <int Taps>
struct TapPolynomials {
    static constexpr int terms = Taps > 10 ? 5 : 4;  // where a band nearly fills the cells there are many taps
    float even[Taps / 2][terms], odd[Taps / 2][terms];

    /// What a tap of the first half and the one that mirrors it count.
    struct Pair {
        float first, last;
    };
    template <int Tap>
    CT_HOST_DEVICE Pair pair(float place) const {
        const float square = place * place, alike = along(even[Tap], square), other = place * along(odd[Tap], square);
        return {alike + other, alike - other};
    }
    /// Of Taps cells, at a place between the two in their middle, from -1/2 to 1/2.
    template <class Cells>
    CT_HOST_DEVICE Complex64 at(float place, const Cells& cells) const {
        Complex64 sum{0, 0};
        unrolled<Taps / 2>([&]<int J>() {
            const auto [first, last] = pair<J>(place);
            const Complex64 a = cells.template at<J>(), b = cells.template at<Taps - 1 - J>();
            sum = {sum.re + first * a.re + last * b.re, sum.im + first * a.im + last * b.im};
        });
        return sum;
    }

private:
    static CT_HOST_DEVICE float along(const float (&term)[terms], float square) {
        float sum = term[terms - 1];
        unrolled<terms - 1>([&]<int K>() { sum = sum * square + term[terms - 2 - K]; });
        return sum;
    }
};
template <int Taps>
TapPolynomials<Taps> tap_polynomials(const OptimalInterpolation& interpolation, int moment = 0) {
    TapPolynomials<Taps> made{};
    constexpr int terms = 2 * TapPolynomials<Taps>::terms;
    const int beyond = (Taps - interpolation.taps()) / 2;
    const PowersThrough through(terms);
    std::vector<std::vector<double>> weights;
    for (const double fraction : chebyshev_points(0, 1, terms))
        weights.push_back(interpolation.weights(fraction, moment));
    for (int tap = 0; tap < interpolation.taps() / 2; ++tap) {
        double value[terms], power[terms], scale = 1;
        for (int i = 0; i < terms; ++i) value[i] = weights[static_cast<std::size_t>(i)][static_cast<std::size_t>(tap)];
        through(value, power);
        for (int i = 0; i < terms; ++i, scale *= 2)  // from -1 to 1 there
            (i % 2 == 0 ? made.even : made.odd)[beyond + tap][i / 2] = static_cast<float>(power[i] * scale);
    }
    return made;
}

/// Rows between those of a block's nodes, several at once.
struct RowBlend {
    const float* weights;  ///< [row between][moment][tap]
    int taps;
    std::int64_t first_step;  ///< image rows between nodes of level 0
    static constexpr int moments = WindowPolynomial::terms, most_taps = 24, at_once = 2,
                         most_read = (most_taps + rows_at_once) / at_once * at_once;

    /// What threads share of it: what each row of nodes that is read counts for the rows between, and where it lies.
    struct alignas(16) Weights {
        float weight[most_read][moments][rows_at_once];
    };
    struct Reads {
        int count;
        const Complex64* row[most_read];
    };
    /// Image rows, of which some are there.
    struct Between {
        std::int64_t first, step;
        int first_there, last_there;
        CT_HOST_DEVICE std::int64_t row(int number) const { return first + number * step; }
    };
    struct Place {
        int below, phase;  ///< row of nodes, and image rows beyond it
    };
    CT_HOST_DEVICE static Place place_of(std::int64_t row, std::int64_t nodes_step) {
        // Divisions of 64 bits take longer than all the rest.
        const int at = static_cast<int>(row), step = static_cast<int>(nodes_step),
                  below = at / step - (at % step < 0 ? 1 : 0);
        return {below, at - below * step};
    }
    /// Rows of nodes that are read, in whole groups; those beyond have weight zero.
    CT_HOST_DEVICE int read_count(const Between& between, std::int64_t step) const {
        const int apart = place_of(between.row(between.last_there - 1), step).below -
                          place_of(between.row(between.first_there), step).below;
        return (taps + apart + at_once - 1) / at_once * at_once;
    }
    /// Makes a weight ready: item / rows_at_once is the row that is read.
    CT_HOST_DEVICE void put_weight(Weights& to, int item, std::int64_t nodes_step, const Between& between,
                                   int wanted_moments, float factor) const {
        const int read = item / rows_at_once, number = item % rows_at_once;
        const int lowest = place_of(between.row(between.first_there), nodes_step).below;
        const Place at = place_of(between.row(number), nodes_step);
        const int tap = read - (at.below - lowest);
        const bool counts = number >= between.first_there && number < between.last_there && tap >= 0 && tap < taps;
        const int phases = static_cast<int>(first_step) / static_cast<int>(nodes_step);
        for (int moment = 0; moment < wanted_moments; ++moment)
            to.weight[read][moment][number] =
                counts ? factor * weights[(at.phase * phases * moments + moment) * taps + tap] : 0.0f;
    }
    /// Makes a row of nodes ready. False where cells are missing.
    CT_HOST_DEVICE bool put_row(Reads& to, int read, const FactorLevelView& level, const FactorBlockView& of,
                                const Complex64* nodes, const Between& between, IndexRange cells) const {
        const int lowest = place_of(between.row(between.first_there), level.step).below,
                  apart = place_of(between.row(between.last_there - 1), level.step).below - lowest,
                  last = taps + apart - 1;
        const std::int64_t node = lowest - taps / 2 + 1 + (read < last ? read : last);
        to.row[read] = row_of(level, of, nodes, node - of.first_node, cells);
        return to.row[read] != nullptr;
    }
    /// A cell of all rows.
    CT_HOST_DEVICE void at(const Weights& weights_of, const Reads& reads, int cell,
                           Complex64 (&sum)[rows_at_once]) const {
        for_reads(weights_of, reads, cell, [&](const float(&weight)[moments][rows_at_once], Complex64 sample) {
            unrolled<rows_at_once>([&]<int R>() {
                sum[R] = {sum[R].re + weight[0][R] * sample.re, sum[R].im + weight[0][R] * sample.im};
            });
        });
    }
    /// A cell of two rows from First on, each filtered by its window over the band.
    template <int First>
    CT_HOST_DEVICE void weighed(const Weights& weights_of, const Reads& reads, int cell,
                                const float (&window)[2][moments], Complex64 (&sum)[2]) const {
        Complex64 moment[2][moments] = {};
        for_reads(weights_of, reads, cell, [&](const float(&weight)[moments][rows_at_once], Complex64 sample) {
            unrolled<2 * moments>([&]<int N>() {
                constexpr int row = N / moments, i = N % moments;
                const float w = weight[i][First + row];
                moment[row][i] = {moment[row][i].re + w * sample.re, moment[row][i].im + w * sample.im};
            });
        });
        unrolled<2>([&]<int R>() {
            const auto& w = window[R];
            const auto& m = moment[R];
            sum[R] = {w[0] * m[0].re - w[1] * m[1].im + w[2] * m[2].re - w[3] * m[3].im,
                      w[0] * m[0].im + w[1] * m[1].re + w[2] * m[2].im + w[3] * m[3].re};
        });
    }
    CT_HOST_DEVICE static const Complex64* row_of(const FactorLevelView& level, const FactorBlockView& of,
                                                  const Complex64* nodes, std::int64_t node, IndexRange cells) {
        if (node < 0 || node >= of.nodes) return nullptr;
        const FactorRowView filled = level.rows[of.first_row + node];
        if (cells.first < filled.first_cell || cells.last > filled.first_cell + filled.cells) return nullptr;
        return nodes + of.at + node * of.room + (cells.first - filled.first_cell);
    }

private:
    /// Calls add(weights, sample) for each row that is read, several at a time, so that their loads do not wait for one
    /// another.
    template <class Add>
    CT_HOST_DEVICE void for_reads(const Weights& weights_of, const Reads& reads, int cell, const Add& add) const {
        for (int begin = 0; begin < reads.count; begin += at_once) {
            Complex64 sample[at_once];
            unrolled<at_once>([&]<int J>() { sample[J] = reads.row[begin + J][cell]; });
            unrolled<at_once>([&]<int J>() { add(weights_of.weight[begin + J], sample[J]); });
        }
    }
};

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
                if (law == 0) to.first_place = WarpLaws<Terms>::place_of(static_cast<int>(first));
                if (law == 1) to.last_place = WarpLaws<Terms>::place_of(static_cast<int>(end) - 1);
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
        const float place = WarpLaws<Terms>::place_of(lane);
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
