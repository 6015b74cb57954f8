// SPDX-License-Identifier: Apache-2.0
// What kernels of factorised back-projection are made of: laws along a row, interpolation between cells, and rows that
// are blended of those of a block's nodes.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/back_projection/factor_views.h"
#include "kernels/cuda/launch/unrolled.h"
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

/// Where a place lies between two of its 256 fractions of a cell, between which weights are straight, which leaves less
/// than -94 dB.
struct CellPlace {
    int below, nearest;
    float rest;

    CT_HOST_DEVICE explicit CellPlace(double place) {
        constexpr int fractions = InterpolationTable<float>::fractions;
        const double cell = std::floor(place), fraction = place - cell;
        below = static_cast<int>(cell);
        nearest = static_cast<int>(fraction * fractions + 0.5);
        rest = static_cast<float>(fraction - nearest * (1.0 / fractions));
    }
};
CT_HOST_DEVICE Complex64 weigh_two(Complex64 sum, const WeightsAndSlopes& two, float rest, Complex64 a, Complex64 b) {
    const float even = two.weight[0] + rest * two.slope[0], odd = two.weight[1] + rest * two.slope[1];
    return {sum.re + even * a.re + odd * b.re, sum.im + even * a.im + odd * b.im};
}

/// Interpolation along range, of cells in shared memory.
struct CellWeights {
    const WeightsAndSlopes* table;
    int taps;

    /// Of Taps cells from the first on.
    template <int Taps>
    CT_HOST_DEVICE Complex64 at(double place, const Complex64* cells) const {
        const CellPlace at(place);
        const WeightsAndSlopes* const weights = table + at.nearest * (Taps / 2);
        const Complex64* const from = cells + at.below - taps / 2 + 1;
        Complex64 sum{0, 0};
        unrolled<Taps / 2>([&]<int J>() { sum = weigh_two(sum, weights[J], at.rest, from[2 * J], from[2 * J + 1]); });
        return sum;
    }
};

/// The same of lines in the GPU's memory, two cells at a time from an even one on, as 16 bytes there are read as fast
/// as 8: there is a set of weights for first taps in even and in odd cells, of two taps more.
struct LineWeights {
    const WeightsAndSlopes* table;
    int taps;

    template <int Taps, class Block>
    CT_HOST_DEVICE Complex64 at(const Block& block, double place, const Complex64* lines, std::int64_t line,
                                std::int64_t cells) const {
        constexpr int pairs = Taps / 2 + 1;
        const CellPlace at(place);
        const int first = at.below - taps / 2 + 1, count = static_cast<int>(cells);
        const std::int64_t begin = line * cells + first;
        const int odd = static_cast<int>(begin & 1);
        const WeightsAndSlopes* const weights = table + (2 * at.nearest + odd) * pairs;
        const auto* const from = reinterpret_cast<const TwoCells*>(lines + (begin - odd));
        Complex64 sum{0, 0};
        if (first >= 0 && first <= count - 2 * pairs) {
            unrolled<pairs>([&]<int J>() {
                const TwoCells two = block.table(from + J);
                sum = weigh_two(sum, weights[J], at.rest, two.even, two.odd);
            });
        } else {
            const auto cell = [&](int i) {
                const int number = first - odd + i;
                return number >= 0 && number < count ? lines[line * cells + number] : Complex64{0, 0};
            };
            for (int j = 0; j < pairs; ++j) sum = weigh_two(sum, weights[j], at.rest, cell(2 * j), cell(2 * j + 1));
        }
        return sum;
    }

private:
    struct alignas(16) TwoCells {
        Complex64 even, odd;
    };
};

/// Terms of laws, over rows and along them.
struct LawTerms {
    int rows, columns;
    CT_HOST_DEVICE std::int64_t points() const { return static_cast<std::int64_t>(rows) * columns; }
};

/// Laws that lie one behind the other, along a row: Terms powers of each.
template <int Terms, class Block>
CT_HOST_DEVICE void find_laws_along_row(const Block& block, LawTerms terms, const double* laws, int count,
                                        double row_part, double* powers) {
    for (int i = block.thread().x; i < count * Terms; i += block.threads()) {
        const int law = i / Terms, power = i - law * Terms;
        powers[i] = power < terms.columns
                        ? polynomial(laws + (law * terms.columns + power) * terms.rows, terms.rows, row_part)
                        : 0.0;
    }
}
/// The law of that number among them.
template <int Terms>
CT_HOST_DEVICE double law_at(const double* powers, int law, double part) {
    double sum = 0;
    unrolled<Terms>([&]<int K>() { sum = sum * part + powers[law * Terms + (Terms - 1 - K)]; });
    return sum;
}

/// Rows between those of a block's nodes.
struct RowBlend {
    const float* weights;  ///< [row between][moment][tap]
    int taps;
    std::int64_t first_step;  ///< image rows between nodes of level 0
    static constexpr int moments = WindowPolynomial::terms, most_taps = 24, at_once = 2;

    /// What threads share of it.
    struct alignas(16) Shared {
        float moment[most_taps][moments];  ///< weights of a tap
        const Complex64* rows[most_taps];  ///< nullptr where cells are missing
    };
    /// Taps in whole groups; those beyond have weight zero.
    CT_HOST_DEVICE int padded() const { return (taps + at_once - 1) / at_once * at_once; }
    /// What makes it ready for cells from the first on, in so many items that are put into it one by one.
    CT_HOST_DEVICE int items() const { return 2 * padded(); }
    CT_HOST_DEVICE void put(Shared& shared, int item, const FactorLevelView& level, const FactorBlockView& of,
                            const Complex64* nodes, std::int64_t row, IndexRange cells) const {
        // Divisions of 64 bits take longer than all the rest.
        const int at = static_cast<int>(row), step = static_cast<int>(level.step),
                  below = at / step - (at % step < 0 ? 1 : 0), tap = item % padded();
        if (item < padded()) {
            const float* const between =
                weights + (at - below * step) * (static_cast<int>(first_step) / step) * (moments * taps);
            for (int moment = 0; moment < moments; ++moment)
                shared.moment[tap][moment] = tap < taps ? between[moment * taps + tap] : 0.0f;
        } else {
            const std::int64_t node = below - taps / 2 + 1 + (tap < taps ? tap : taps - 1);
            shared.rows[tap] = row_of(level, of, nodes, node - of.first_node, cells);
        }
    }
    /// Whether all cells are there, once it is ready.
    CT_HOST_DEVICE bool is_whole(const Shared& shared) const {
        bool whole = true;
        for (int tap = 0; tap < taps; ++tap) whole = (shared.rows[tap] != nullptr) & whole;
        return whole;
    }
    CT_HOST_DEVICE static const Complex64* row_of(const FactorLevelView& level, const FactorBlockView& of,
                                                  const Complex64* nodes, std::int64_t node, IndexRange cells) {
        if (node < 0 || node >= of.nodes) return nullptr;
        const FactorRowView filled = level.rows[of.first_row + node];
        if (cells.first < filled.first_cell || cells.last > filled.first_cell + filled.cells) return nullptr;
        return nodes + of.at + node * of.room + (cells.first - filled.first_cell);
    }
    /// Of so many cells at once, which share the loads of weights.
    template <int Cells>
    CT_HOST_DEVICE void at(const Shared& shared, const int (&cell)[Cells], Complex64 (&sum)[Cells]) const {
        for_taps(shared, cell, [&](const float(&weight)[moments], const Complex64(&sample)[Cells]) {
            unrolled<Cells>([&]<int C>() {
                sum[C] = {sum[C].re + weight[0] * sample[C].re, sum[C].im + weight[0] * sample[C].im};
            });
        });
    }
    /// Filtered by the window over the band.
    CT_HOST_DEVICE Complex64 weighed(const Shared& shared, const float (&window)[moments], int cell) const {
        Complex64 moment[moments] = {};
        for_taps(shared, {cell}, [&](const float(&weight)[moments], const Complex64(&sample)[1]) {
            unrolled<moments>([&]<int I>() {
                moment[I] = {moment[I].re + weight[I] * sample[0].re, moment[I].im + weight[I] * sample[0].im};
            });
        });
        return {
            window[0] * moment[0].re - window[1] * moment[1].im + window[2] * moment[2].re - window[3] * moment[3].im,
            window[0] * moment[0].im + window[1] * moment[1].re + window[2] * moment[2].im + window[3] * moment[3].re};
    }

private:
    /// Calls add(weights, samples) for each tap, several at a time, so that their loads do not wait for one another.
    template <int Cells, class Add>
    CT_HOST_DEVICE void for_taps(const Shared& shared, const int (&cell)[Cells], const Add& add) const {
        for (int begin = 0; begin < taps; begin += at_once) {
            Complex64 sample[at_once][Cells];
            unrolled<at_once>([&]<int J>() {
                const Complex64* const row = shared.rows[begin + J];
                unrolled<Cells>([&]<int C>() { sample[J][C] = row[cell[C]]; });
            });
            unrolled<at_once>([&]<int J>() { add(shared.moment[begin + J], sample[J]); });
        }
    }
};

/// Cells of a block that nodes or pixels from one to another are interpolated of.
CT_HOST_DEVICE IndexRange cells_between(double a, double b, int taps) {
    const double low = a < b ? a : b, high = a < b ? b : a;
    return {static_cast<std::int64_t>(std::floor(low)) - taps / 2,
            static_cast<std::int64_t>(std::floor(high)) + taps / 2 + 2};
}

/// A block of lines of which a row is read, where nodes or pixels arrive in it.
struct RowSource {
    const FactorLevelView* level;
    const FactorBlockView* of;  ///< nullptr: there is none
    const Complex64* nodes;
    const double* laws;  ///< cell, cycles and, of pixels, Doppler offset
    int law_count;
    double row_part, first_part, last_part;  ///< of the row, and of the first and last node or pixel along it
};

/// What threads share of such a row.
struct ReadyRow {
    double powers[3 * most_law_terms];
    RowBlend::Shared blend;
    IndexRange cells;
    bool whole;  ///< all its cells are there

    CT_HOST_DEVICE int filled() const { return static_cast<int>(cells.last - cells.first); }
};
/// Of several rows, which are made ready together, in the memory that a block of threads is launched with. Behind it
/// lie the cells of the row that is read and of the one that is filled.
struct alignas(16) ReadyRows {
    static constexpr int most = 8, most_looks = 36;
    ReadyRow row[most];
    std::int64_t number[most];
    float look[most_looks][RowBlend::moments];  ///< at the window, of the row that is filled

    CT_HOST_DEVICE Complex64* cells() { return reinterpret_cast<Complex64*>(this + 1); }
};

/// What nodes and pixels that move from block to block have in common.
struct FactorShift {
    LawTerms terms;
    CellWeights weights;
    RowBlend rows;
    std::int64_t capacity;  ///< cells of a blended row
    int* failed;            ///< set where cells are missing

    /// Nodes or pixels that a block of threads takes: with the cells beside them a row has no more than one for each
    /// thread then, or two where cells lie twice as near.
    static constexpr int threads = 256, most_nodes = 240;
    /// Parts of a row, and how many of its nodes or pixels each has.
    CT_HOST_DEVICE static std::int64_t parts_of(std::int64_t nodes) { return (nodes + most_nodes - 1) / most_nodes; }
    CT_HOST_DEVICE static std::int64_t part_of(std::int64_t nodes) {
        const std::int64_t parts = parts_of(nodes);
        return (nodes + parts - 1) / parts;
    }
    /// Where cells lie twice as far apart as nodes should, and what is read beside them.
    static std::int64_t capacity_for(const Factorisation& factors) {
        return 2 * threads * factors.nodes_per_column + factors.cell_taps + 4;
    }
    /// Cells behind them that may be read with weight zero.
    static constexpr int beyond = 24;
    CT_HOST_DEVICE std::int64_t room() const { return capacity + beyond; }
    std::size_t shared_bytes() const {
        return sizeof(ReadyRows) + static_cast<std::size_t>(2 * room()) * sizeof(Complex64);
    }

    /// Makes rows ready to be blended on an image row; source(number) tells of which block.
    template <int Terms, class Block, class Source>
    CT_HOST_DEVICE void prepare(const Block& block, ReadyRows& ready, int count, std::int64_t at,
                                const Source& source) const {
        constexpr int each = 3 * Terms;
        for (int i = block.thread().x; i < count * each; i += threads) {
            const int number = i / each, law = i % each / Terms, power = i % Terms;
            const RowSource from = source(number);
            if (from.of == nullptr || law >= from.law_count) continue;
            ready.row[number].powers[i % each] =
                power < terms.columns
                    ? polynomial(from.laws + (law * terms.columns + power) * terms.rows, terms.rows, from.row_part)
                    : 0.0;
        }
        block.sync();
        for (int i = block.thread().x; i < count; i += threads) {
            const RowSource from = source(i);
            ReadyRow& row = ready.row[i];
            row.whole = from.of != nullptr;
            row.cells = row.whole ? cells_between(law_at<Terms>(row.powers, 0, from.first_part),
                                                  law_at<Terms>(row.powers, 0, from.last_part), weights.taps)
                                  : IndexRange{0, 0};
        }
        block.sync();
        for (int i = block.thread().x; i < count * rows.items(); i += threads) {
            const int number = i / rows.items();
            const RowSource from = source(number);
            ReadyRow& row = ready.row[number];
            if (row.whole)
                rows.put(row.blend, i - number * rows.items(), *from.level, *from.of, from.nodes, at, row.cells);
        }
        block.sync();
        for (int i = block.thread().x; i < count; i += threads) {
            ReadyRow& row = ready.row[i];
            if (!row.whole) continue;
            row.whole = row.cells.last - row.cells.first <= capacity && rows.is_whole(row.blend);
            if (!row.whole) *failed = 1;
        }
        block.sync();
    }
    /// Numbers that may be read with weight zero behind any cell of for_rows.
    template <class Block>
    CT_HOST_DEVICE void clear(const Block& block, ReadyRows& ready) const {
        for (int i = block.thread().x; i < 2 * room(); i += threads) ready.cells()[i] = {0, 0};
    }
    /// Calls add(number, row, cells) for each whole row, its cells filled by fill(number, row, cells), the first of
    /// them number 0.
    template <class Block, class Fill, class Add>
    CT_HOST_DEVICE void for_rows(const Block& block, ReadyRows& ready, int count, const Fill& fill,
                                 const Add& add) const {
        Complex64 *cells = ready.cells(), *others = cells + room();
        for (int number = 0; number < count; ++number) {
            const ReadyRow& row = ready.row[number];
            if (!row.whole) continue;
            fill(number, row, cells);
            block.sync();
            add(number, row, cells);
            Complex64* const read = cells;  // by some threads until the next barrier
            cells = others;
            others = read;
        }
    }
    /// Fills cells with those of a row that is blended, times a factor.
    template <class Block>
    CT_HOST_DEVICE void blend(const Block& block, const ReadyRow& row, float factor, Complex64* cells) const {
        const int filled = row.filled(), thread = block.thread().x;
        if (filled <= threads) {
            if (thread >= filled) return;
            Complex64 sum[1] = {};
            rows.at(row.blend, {thread}, sum);
            cells[thread] = factor * sum[0];
            return;
        }
        for (int i = thread; i < filled; i += 2 * threads) {
            const int other = i + threads < filled ? i + threads : filled - 1;
            Complex64 sum[2] = {};
            rows.at(row.blend, {i, other}, sum);
            cells[i] = factor * sum[0];
            if (i + threads < filled) cells[other] = factor * sum[1];
        }
    }
    /// The value of the blended row where a node or pixel arrives, turned.
    template <int Taps, int Terms>
    CT_HOST_DEVICE Complex64 at(const ReadyRow& row, const Complex64* cells, double part) const {
        const double cell = law_at<Terms>(row.powers, 0, part) - static_cast<double>(row.cells.first),
                     cycles = law_at<Terms>(row.powers, 1, part);
        if (!(cell >= weights.taps / 2 - 1 &&
              cell < static_cast<double>(row.cells.last - row.cells.first - weights.taps / 2))) {
            *failed = 1;
            return {0, 0};
        }
        return unit_phasor<float>(cycles) * weights.at<Taps>(cell, cells);
    }
};

}  // namespace cornerturn
