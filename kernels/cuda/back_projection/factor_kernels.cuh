// SPDX-License-Identifier: Apache-2.0
// Factorised back-projection by a thread for each node or pixel. Where and with which phase it arrives is evaluated in
// double precision for each by itself, so that nothing is asked of its neighbours.
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

/// Level 0: lines, summed on nodes. A block takes part of a row of nodes.
template <int Taps, int Terms>
struct LinesOnNodes {
    FactorLevelView level;
    LawTerms terms;
    CellWeights weights;
    const Complex64* compressed;
    std::int64_t cells;  ///< of a line
    Complex64* nodes;

    static constexpr int threads = 256, lines_at_a_time = 16;
    struct Shared {
        double powers[lines_at_a_time * 2 * most_law_terms];
    };
    std::int64_t blocks() const { return level.row_count; }
    std::int64_t block_rows() const { return (level.most_cells + threads - 1) / threads; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const FactorRowView row = level.rows[block.number()];
        const std::int64_t first = static_cast<std::int64_t>(block.row()) * threads, number = first + block.thread().x;
        if (first >= row.cells) return;
        const FactorBlockView& of = level.blocks[row.block];
        const std::int64_t node = block.number() - of.first_row;
        const double row_part = of.area.row_part(static_cast<double>((of.first_node + node) * level.step)),
                     part = of.area.column_part(static_cast<double>(row.first_cell + number));
        double* const powers = block.template shared<Shared>().powers;
        Complex64 sum{0, 0};
        for (std::int64_t begin = 0; begin < of.lines; begin += lines_at_a_time) {
            const auto count =
                static_cast<int>(of.lines - begin < lines_at_a_time ? of.lines - begin : lines_at_a_time);
            block.sync();
            find_laws_along_row<Terms>(block, terms, level.merge_laws + of.merge_laws + 2 * begin * terms.points(),
                                       2 * count, row_part, powers);
            block.sync();
            if (number < row.cells)
                for (int i = 0; i < count; ++i)
                    sum = sum + of_line(of.first_line + begin + i, law_at<Terms>(powers, 2 * i, part),
                                        law_at<Terms>(powers, 2 * i + 1, part));
        }
        if (number < row.cells) nodes[of.at + node * of.room + number] = sum;
    }

private:
    CT_HOST_DEVICE Complex64 of_line(std::int64_t line, double cell, double cycles) const {
        if (!(std::fabs(cell) < 1e9)) return {0, 0};
        const Complex64* const of = compressed + line * cells;
        const int count = static_cast<int>(cells);
        return unit_phasor<float>(cycles) * weights.at<Taps>(cell, [=](int first) {
            const bool inside = first >= 0 && first <= count - Taps;
            const Complex64* const from = of + first;
            return [=](int i) { return inside || (first + i >= 0 && first + i < count) ? from[i] : Complex64{0, 0}; };
        });
    }
};

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
    /// Ready for cells from the first on; false where not all of them are there. Each thread takes a row or a weight.
    template <class Block>
    CT_HOST_DEVICE bool begin(const Block& block, Shared& shared, const FactorLevelView& level,
                              const FactorBlockView& of, const Complex64* nodes, std::int64_t row,
                              IndexRange cells) const {
        const std::int64_t below = floor_div(row, level.step);
        const float* const between =
            weights + (row - below * level.step) * (first_step / level.step) * (moments * taps);
        for (int i = block.thread().x; i < moments * padded(); i += block.threads()) {
            const int moment = i / padded(), tap = i - moment * padded();
            shared.weights[moment][tap] = tap < taps ? between[moment * taps + tap] : 0.0f;
        }
        for (int tap = block.thread().x; tap < padded(); tap += block.threads())
            shared.rows[tap] =
                row_of(level, of, nodes, below - taps / 2 + 1 - of.first_node + (tap < taps ? tap : taps - 1), cells);
        block.sync();
        bool inside = true;
        for (int tap = 0; tap < taps; ++tap) inside = inside && shared.rows[tap] != nullptr;
        return inside;
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

/// What a block of threads keeps of a row, in the memory that it is launched with: the laws along it, how it is
/// blended, and behind that its cells.
struct alignas(16) BlendedRow {
    double powers[3 * most_law_terms];
    RowBlend::Shared blend;

    CT_HOST_DEVICE Complex64* cells() { return reinterpret_cast<Complex64*>(this + 1); }
    CT_HOST_DEVICE const Complex64* cells() const { return reinterpret_cast<const Complex64*>(this + 1); }
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
    std::size_t shared_bytes() const {
        return sizeof(BlendedRow) + static_cast<std::size_t>(capacity + beyond) * sizeof(Complex64);
    }

    /// Whether the cells fit and are there; then the row is ready to be blended.
    template <class Block>
    CT_HOST_DEVICE bool begin(const Block& block, BlendedRow& row, const FactorLevelView& level,
                              const FactorBlockView& of, const Complex64* nodes, std::int64_t at,
                              IndexRange cells) const {
        const bool inside =
            cells.last - cells.first <= capacity && rows.begin(block, row.blend, level, of, nodes, at, cells);
        if (!inside && block.thread().x == 0) *failed = 1;
        return inside;
    }
    /// Fills the row: make(i) is its cell number i, from the first.
    template <class Block, class Make>
    CT_HOST_DEVICE void fill(const Block& block, BlendedRow& row, IndexRange cells, const Make& make) const {
        const int count = static_cast<int>(cells.last - cells.first);
        for (int i = block.thread().x; i < count + beyond; i += threads)
            row.cells()[i] = i < count ? make(i) : Complex64{0, 0};
        block.sync();
    }
    /// The value of the blended row where a node or pixel arrives, turned.
    template <int Taps, int Terms>
    CT_HOST_DEVICE Complex64 at(const BlendedRow& row, double part, IndexRange cells) const {
        const double cell = law_at<Terms>(row.powers, 0, part) - static_cast<double>(cells.first),
                     cycles = law_at<Terms>(row.powers, 1, part);
        if (!(cell >= weights.taps / 2 - 1 &&
              cell < static_cast<double>(cells.last - cells.first - weights.taps / 2))) {
            *failed = 1;
            return {0, 0};
        }
        return unit_phasor<float>(cycles) * weights.at<Taps>(cell, [of = row.cells()](int first) {
            return [from = of + first](int i) { return from[i]; };
        });
    }
};

/// Blocks of the level below, merged into longer ones.
template <int Taps, int Terms>
struct MergedBlocks {
    FactorLevelView below, level;
    FactorShift shift;
    int merged;
    const Complex64* from;
    Complex64* nodes;

    static constexpr int threads = FactorShift::threads;
    std::int64_t blocks() const { return level.row_count; }
    std::int64_t block_rows() const { return (level.most_cells + threads - 1) / threads; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const FactorRowView row = level.rows[block.number()];
        const std::int64_t first = static_cast<std::int64_t>(block.row()) * threads, number = first + block.thread().x,
                           last = first + threads < row.cells ? first + threads : row.cells;
        if (first >= row.cells) return;
        const FactorBlockView& to = level.blocks[row.block];
        const std::int64_t node = block.number() - to.first_row, at = (to.first_node + node) * level.step;
        const auto part = [&](std::int64_t cell) {
            return to.area.column_part(static_cast<double>(row.first_cell + cell));
        };
        BlendedRow& shared = *block.template memory<BlendedRow>();
        Complex64 sum{0, 0};
        for (std::int64_t child = 0; child < merged; ++child) {
            const std::int64_t child_number = row.block * merged + child;
            if (child_number >= below.block_count || below.blocks[child_number].nodes == 0) continue;
            const FactorBlockView& of = below.blocks[child_number];
            block.sync();
            find_laws_along_row<Terms>(block, shift.terms,
                                       level.merge_laws + to.merge_laws + 2 * child * shift.terms.points(), 2,
                                       to.area.row_part(static_cast<double>(at)), shared.powers);
            block.sync();
            const IndexRange cells = cells_between(law_at<Terms>(shared.powers, 0, part(first)),
                                                   law_at<Terms>(shared.powers, 0, part(last - 1)), shift.weights.taps);
            if (!shift.begin(block, shared, below, of, from, at, cells)) continue;
            shift.fill(block, shared, cells, [&](int i) { return shift.rows.at(shared.blend, i); });
            if (number < row.cells) sum = sum + shift.template at<Taps, Terms>(shared, part(number), cells);
        }
        if (number < row.cells) nodes[to.at + node * to.room + number] = sum;
    }
};

struct FactorLevelNodes {
    FactorLevelView view;
    const Complex64* nodes;
};

/// What the pixels of a strip are summed of.
struct BlocksOfPixels {
    static constexpr int most_levels = 12;
    FactorLevelNodes levels[most_levels];
    FactorShift shift;
    DopplerWindowView window;
    PixelMeshView mesh;
    const TakenView* taken;
    const std::int64_t* first_taken;  ///< of each row
    std::int64_t rows, columns;
    ColumnStrip strip;
    const Interval* covered_rows;
    Complex64* image;
};

/// Pixels, as sums of the blocks that the window asks for. A block takes part of a row of a strip.
template <int Taps, int Terms>
struct ImageOfBlocks {
    static constexpr int threads = FactorShift::threads;
    BlocksOfPixels of;

    std::int64_t blocks() const { return of.rows; }
    std::int64_t block_rows() const { return (of.strip.columns + threads - 1) / threads; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const auto& [levels, shift, window, mesh, taken, first_taken, rows, columns, strip, covered_rows, image] = of;
        const std::int64_t row = block.number(),
                           first = strip.first_column + static_cast<std::int64_t>(block.row()) * threads,
                           end = strip.first_column + strip.columns,
                           last = first + threads < end ? first + threads : end, column = first + block.thread().x;
        Complex64 sum{0, 0};
        for (std::int64_t i = first_taken[row]; i < first_taken[row + 1]; ++i) {
            const TakenView& part = taken[i];
            const IndexRange columns_taken{part.first_column > first ? part.first_column : first,
                                           part.last_column < last ? part.last_column : last};
            if (columns_taken.first < columns_taken.last) sum = sum + of_block(block, part, row, columns_taken, column);
        }
        if (column >= last) return;
        const auto gain = static_cast<float>(mesh.at(static_cast<double>(row), static_cast<double>(column)).gain);
        image[row * columns + column] = is_covered(covered_rows, row, column) ? gain * sum : Complex64{0, 0};
    }

private:
    template <class Block>
    CT_HOST_DEVICE Complex64 of_block(const Block& block, const TakenView& part, std::int64_t row, IndexRange pixels,
                                      std::int64_t column) const {
        const FactorShift& shift = of.shift;
        const FactorLevelNodes& level = of.levels[part.level];
        const FactorBlockView& taken = level.view.blocks[part.block];
        BlendedRow& shared = *block.template memory<BlendedRow>();
        block.sync();
        find_laws_along_row<Terms>(block, shift.terms, level.view.image_laws + taken.image_laws, 3,
                                   taken.seen.row_part(static_cast<double>(row)), shared.powers);
        block.sync();
        const auto cell_at = [&](std::int64_t at) {
            return law_at<Terms>(shared.powers, 0, taken.seen.column_part(static_cast<double>(at)));
        };
        const double from = cell_at(pixels.first), to = cell_at(pixels.last - 1);
        const IndexRange cells = cells_between(from, to, shift.weights.taps);
        if (!shift.begin(block, shared, level.view, taken, level.nodes, row, cells)) return {0, 0};
        // Columns of cells: straight between the ends of the part, near enough for the window.
        const double columns_per_cell =
            to != from ? static_cast<double>(pixels.last - 1 - pixels.first) / (to - from) : 0.0;
        shift.fill(block, shared, cells, [&](int i) {
            if (part.flat) return part.weight * shift.rows.at(shared.blend, i);
            const double at = static_cast<double>(pixels.first) +
                              (static_cast<double>(cells.first + i) - from) * columns_per_cell,
                         offset_hz = law_at<Terms>(shared.powers, 2, taken.seen.column_part(at));
            return shift.rows.weighed(shared.blend, window_polynomial(of.window, offset_hz, taken.half_hz), i);
        });
        if (column < pixels.first || column >= pixels.last) return {0, 0};
        return shift.template at<Taps, Terms>(shared, taken.seen.column_part(static_cast<double>(column)), cells);
    }
};

}  // namespace cornerturn
