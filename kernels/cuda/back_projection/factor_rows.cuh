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
    if (taps <= 4) return f(std::integral_constant<int, 4>{});
    if (taps <= 8) return f(std::integral_constant<int, 8>{});
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

/// Interpolation along range. Between two of 256 fractions weights are straight, which leaves less than -94 dB.
struct CellWeights {
    const WeightsAndSlopes* table;
    int taps;

    /// of(number) is the sample of a cell; asked for Taps cells from the first on.
    template <int Taps, class Samples>
    CT_HOST_DEVICE Complex64 at(double place, const Samples& of) const {
        constexpr int fractions = InterpolationTable<float>::fractions;
        const double below = std::floor(place), fraction = place - below;
        const int nearest = static_cast<int>(fraction * fractions + 0.5);
        const auto rest = static_cast<float>(fraction - nearest * (1.0 / fractions));
        const int first = static_cast<int>(below) - taps / 2 + 1;
        const WeightsAndSlopes* const weights = table + nearest * (Taps / 2);
        Complex64 sum{0, 0};
        const auto samples = of(first);
        unrolled<Taps / 2>([&]<int J>() {
            const WeightsAndSlopes two = weights[J];
            const float even = two.weight[0] + rest * two.slope[0], odd = two.weight[1] + rest * two.slope[1];
            const Complex64 a = samples(2 * J), b = samples(2 * J + 1);
            sum = {sum.re + even * a.re + odd * b.re, sum.im + even * a.im + odd * b.im};
        });
        return sum;
    }
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
    static constexpr int moments = WindowPolynomial::terms, most_taps = 24, at_once = 4;

    /// What threads share of it.
    struct Shared {
        const Complex64* rows[most_taps];  ///< nullptr where cells are missing
        float weights[moments][most_taps];
    };
    /// Taps in whole groups; those beyond have weight zero.
    CT_HOST_DEVICE int padded() const { return (taps + at_once - 1) / at_once * at_once; }
    /// What makes it ready for cells from the first on, in so many items that are put into it one by one.
    CT_HOST_DEVICE int items() const { return (moments + 1) * padded(); }
    CT_HOST_DEVICE void put(Shared& shared, int item, const FactorLevelView& level, const FactorBlockView& of,
                            const Complex64* nodes, std::int64_t row, IndexRange cells) const {
        const std::int64_t below = floor_div(row, level.step);
        const int moment = item / padded(), tap = item - moment * padded();
        if (moment < moments) {
            const float* const between =
                weights + (row - below * level.step) * (first_step / level.step) * (moments * taps);
            shared.weights[moment][tap] = tap < taps ? between[moment * taps + tap] : 0.0f;
        } else {
            shared.rows[tap] =
                row_of(level, of, nodes, below - taps / 2 + 1 - of.first_node + (tap < taps ? tap : taps - 1), cells);
        }
    }
    /// Whether all cells are there, once it is ready.
    CT_HOST_DEVICE bool is_whole(const Shared& shared) const {
        bool whole = true;
        for (int tap = 0; tap < taps; ++tap) whole = whole && shared.rows[tap] != nullptr;
        return whole;
    }
    CT_HOST_DEVICE static const Complex64* row_of(const FactorLevelView& level, const FactorBlockView& of,
                                                  const Complex64* nodes, std::int64_t node, IndexRange cells) {
        if (node < 0 || node >= of.nodes) return nullptr;
        const FactorRowView filled = level.rows[of.first_row + node];
        if (cells.first < filled.first_cell || cells.last > filled.first_cell + filled.cells) return nullptr;
        return nodes + of.at + node * of.room + (cells.first - filled.first_cell);
    }
    CT_HOST_DEVICE Complex64 at(const Shared& shared, int cell) const {
        Complex64 sum{0, 0};
        for_taps(shared, cell, [&](int tap, Complex64 sample) {
            sum = {sum.re + shared.weights[0][tap] * sample.re, sum.im + shared.weights[0][tap] * sample.im};
        });
        return sum;
    }
    /// Filtered by the window over the band.
    CT_HOST_DEVICE Complex64 weighed(const Shared& shared, const WindowPolynomial& window, int cell) const {
        Complex64 moment[moments] = {};
        for_taps(shared, cell, [&](int tap, Complex64 sample) {
            unrolled<moments>([&]<int I>() {
                moment[I] = {moment[I].re + shared.weights[I][tap] * sample.re,
                             moment[I].im + shared.weights[I][tap] * sample.im};
            });
        });
        float w[moments];
        for (int i = 0; i < moments; ++i) w[i] = static_cast<float>(window.coefficient[i]);
        return {w[0] * moment[0].re - w[1] * moment[1].im + w[2] * moment[2].re - w[3] * moment[3].im,
                w[0] * moment[0].im + w[1] * moment[1].re + w[2] * moment[2].im + w[3] * moment[3].re};
    }

private:
    /// Calls add(tap, sample), several samples at a time, so that their loads do not wait for one another.
    template <class Add>
    CT_HOST_DEVICE void for_taps(const Shared& shared, int cell, const Add& add) const {
        for (int begin = 0; begin < taps; begin += at_once) {
            Complex64 sample[at_once];
            unrolled<at_once>([&]<int J>() { sample[J] = shared.rows[begin + J][cell]; });
            unrolled<at_once>([&]<int J>() { add(begin + J, sample[J]); });
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
};
/// Of several rows, which are made ready together, in the memory that a block of threads is launched with. Behind it
/// lie the cells of the row that is read and of the one that is filled.
struct alignas(16) ReadyRows {
    static constexpr int most = 8;
    ReadyRow row[most];
    std::int64_t number[most];

    CT_HOST_DEVICE Complex64* cells() { return reinterpret_cast<Complex64*>(this + 1); }
};

/// What nodes and pixels that move from block to block have in common.
struct FactorShift {
    LawTerms terms;
    CellWeights weights;
    RowBlend rows;
    std::int64_t capacity;  ///< cells of a blended row
    int* failed;            ///< set where cells are missing

    static constexpr int threads = 256;
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
    /// Calls add(number, row, cells) for each whole row, its cells made by make(number, row, i), the first of them
    /// number 0.
    template <class Block, class Make, class Add>
    CT_HOST_DEVICE void for_rows(const Block& block, ReadyRows& ready, int count, const Make& make,
                                 const Add& add) const {
        Complex64 *cells = ready.cells(), *others = cells + room();
        for (int number = 0; number < count; ++number) {
            const ReadyRow& row = ready.row[number];
            if (!row.whole) continue;
            const int filled = static_cast<int>(row.cells.last - row.cells.first);
            for (int i = block.thread().x; i < filled + beyond; i += threads)
                cells[i] = i < filled ? make(number, row, i) : Complex64{0, 0};
            block.sync();
            add(number, row, cells);
            Complex64* const read = cells;  // by some threads until the next barrier
            cells = others;
            others = read;
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
        return unit_phasor<float>(cycles) *
               weights.at<Taps>(cell, [=](int first) { return [from = cells + first](int i) { return from[i]; }; });
    }
};

}  // namespace cornerturn
