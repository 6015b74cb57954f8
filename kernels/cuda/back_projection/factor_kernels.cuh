// SPDX-License-Identifier: Apache-2.0
// Factorised back-projection by a thread for each node or pixel. Where and with which phase it arrives is evaluated in
// double precision for each by itself, so that nothing is asked of its neighbours.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/cuda/back_projection/factor_rows.cuh"

namespace cornerturn {

/// Level 0: lines, summed on nodes. A block takes part of a row of nodes.
template <int Taps, int Terms>
struct LinesOnNodes {
    FactorLevelView level;
    LawTerms terms;
    LineWeights weights;
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
                    sum = sum + of_line(block, of.first_line + begin + i, law_at<Terms>(powers, 2 * i, part),
                                        law_at<Terms>(powers, 2 * i + 1, part));
        }
        if (number < row.cells) nodes[of.at + node * of.room + number] = sum;
    }

private:
    template <class Block>
    CT_HOST_DEVICE Complex64 of_line(const Block& block, std::int64_t line, double cell, double cycles) const {
        if (!(std::fabs(cell) < 1e9)) return {0, 0};
        return unit_phasor<float>(cycles) * weights.at<Taps>(block, cell, compressed, line, cells);
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
    std::int64_t block_rows() const { return FactorShift::parts_of(level.most_cells); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const FactorRowView row = level.rows[block.number()];
        const std::int64_t width = FactorShift::part_of(level.most_cells),
                           first = static_cast<std::int64_t>(block.row()) * width, number = first + block.thread().x,
                           last = first + width < row.cells ? first + width : row.cells;
        if (first >= row.cells) return;
        const FactorBlockView& to = level.blocks[row.block];
        const std::int64_t node = block.number() - to.first_row, at = (to.first_node + node) * level.step;
        const auto part = [&](std::int64_t cell) {
            return to.area.column_part(static_cast<double>(row.first_cell + cell));
        };
        ReadyRows& ready = *block.template memory<ReadyRows>();
        shift.clear(block, ready);
        Complex64 sum{0, 0};
        for (int begin = 0; begin < merged; begin += ReadyRows::most) {
            const int count = merged - begin < ReadyRows::most ? merged - begin : ReadyRows::most;
            if (begin > 0) block.sync();
            shift.template prepare<Terms>(block, ready, count, at, [&](int i) {
                const std::int64_t child = row.block * merged + begin + i;
                const bool there = child < below.block_count && below.blocks[child].nodes > 0;
                return RowSource{.level = &below,
                                 .of = there ? below.blocks + child : nullptr,
                                 .nodes = from,
                                 .laws = level.merge_laws + to.merge_laws + 2 * (begin + i) * shift.terms.points(),
                                 .law_count = 2,
                                 .row_part = to.area.row_part(static_cast<double>(at)),
                                 .first_part = part(first),
                                 .last_part = part(last - 1)};
            });
            shift.for_rows(
                block, ready, count,
                [&](int, const ReadyRow& child, Complex64* cells) { shift.blend(block, child, 1, cells); },
                [&](int, const ReadyRow& child, const Complex64* cells) {
                    if (number < last) sum = sum + shift.template at<Taps, Terms>(child, cells, part(number));
                });
        }
        if (number < last) nodes[to.at + node * to.room + number] = sum;
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
    const std::int64_t* first_taken;  ///< of rows_taken_together each
    std::int64_t rows, columns;
    ColumnStrip strip;
    double straight_hz;  ///< over which the window is as good as straight
    const Interval* covered_rows;
    Complex64* image;
};

/// Pixels, as sums of the blocks that the window asks for. A block of threads takes part of a row of a strip.
template <int Taps, int Terms>
struct ImageOfBlocks {
    static constexpr int threads = FactorShift::threads;
    BlocksOfPixels of;

    std::int64_t blocks() const { return of.rows; }
    std::int64_t block_rows() const { return FactorShift::parts_of(of.strip.columns); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t row = block.number(), width = FactorShift::part_of(of.strip.columns),
                           first = of.strip.first_column + static_cast<std::int64_t>(block.row()) * width,
                           end = of.strip.first_column + of.strip.columns,
                           last = first + width < end ? first + width : end, column = first + block.thread().x,
                           of_row = row / rows_taken_together, last_taken = of.first_taken[of_row + 1];
        ReadyRows& ready = *block.template memory<ReadyRows>();
        of.shift.clear(block, ready);
        Complex64 sum{0, 0};
        for (std::int64_t next = of.first_taken[of_row]; next < last_taken;) {
            block.sync();
            int count = 0;
            for (; next < last_taken && count < ReadyRows::most; ++next)
                if (is_taken(of.taken[next], row, {first, last})) {
                    if (block.thread().x == 0) ready.number[count] = next;
                    ++count;
                }
            block.sync();
            const Chunk chunk{of, row, {first, last}};
            sum = sum + chunk.of_blocks(block, ready, count, column);
        }
        if (column >= last) return;
        const auto gain = static_cast<float>(of.mesh.at(static_cast<double>(row), static_cast<double>(column)).gain);
        of.image[row * of.columns + column] = is_covered(of.covered_rows, row, column) ? gain * sum : Complex64{0, 0};
    }

private:
    static CT_HOST_DEVICE bool is_taken(const TakenView& part, std::int64_t row, IndexRange columns) {
        return part.first_row <= row && row < part.last_row && part.first_column < columns.last &&
               part.last_column > columns.first;
    }
    /// Pixels of a row that a block of threads takes.
    struct Chunk {
        const BlocksOfPixels& of;
        std::int64_t row;
        IndexRange columns;

        CT_HOST_DEVICE IndexRange columns_of(const TakenView& part) const {
            return {part.first_column > columns.first ? part.first_column : columns.first,
                    part.last_column < columns.last ? part.last_column : columns.last};
        }
        CT_HOST_DEVICE RowSource source(const TakenView& part) const {
            const FactorLevelNodes& level = of.levels[part.level];
            const FactorBlockView& taken = level.view.blocks[part.block];
            const IndexRange pixels = columns_of(part);
            return {.level = &level.view,
                    .of = &taken,
                    .nodes = level.nodes,
                    .laws = level.view.image_laws + taken.image_laws,
                    .law_count = 3,
                    .row_part = taken.seen.row_part(static_cast<double>(row)),
                    .first_part = taken.seen.column_part(static_cast<double>(pixels.first)),
                    .last_part = taken.seen.column_part(static_cast<double>(pixels.last - 1))};
        }
        /// Fills cells with those of a block that the window changes over.
        template <class Block>
        CT_HOST_DEVICE void weigh(const Block& block, ReadyRows& ready, const TakenView& part, const ReadyRow& blended,
                                  Complex64* cells) const {
            const RowSource from = source(part);
            const double first = law_at<Terms>(blended.powers, 0, from.first_part),
                         last = law_at<Terms>(blended.powers, 0, from.last_part);
            // Columns of cells: straight between the ends of the part, near enough for the window.
            const double parts_per_cell = last != first ? (from.last_part - from.first_part) / (last - first) : 0.0;
            const auto offset_hz = [&](double i) {
                const double at =
                    from.first_part + (static_cast<double>(blended.cells.first) + i - first) * parts_per_cell;
                return law_at<Terms>(blended.powers, 2, at);
            };
            const auto look = [&](double i, float(&window)[RowBlend::moments]) {
                const WindowPolynomial w = window_polynomial(of.window, offset_hz(i), from.of->half_hz);
                unrolled<RowBlend::moments>([&]<int I>() { window[I] = static_cast<float>(w.coefficient[I]); });
            };
            const int filled = blended.filled();
            const double end = filled - 1, change_hz = std::fabs(offset_hz(end) - offset_hz(0)),
                         needed = std::ceil(std::fmax(change_hz / of.straight_hz, end / 64));
            const bool straight = needed < ReadyRows::most_looks;
            const int steps = straight && needed > 1 ? static_cast<int>(needed) : 1;
            if (straight) {
                if (block.thread().x <= steps) look(block.thread().x * (end / steps), ready.look[block.thread().x]);
                block.sync();
            }
            const float steps_per_cell = filled > 1 ? static_cast<float>(steps / end) : 0.0f;
            for (int i = block.thread().x; i < filled; i += threads) {
                float window[RowBlend::moments];
                if (straight) {
                    const float at = static_cast<float>(i) * steps_per_cell;
                    const int below = static_cast<int>(at) < steps - 1 ? static_cast<int>(at) : steps - 1;
                    const float rest = at - static_cast<float>(below);
                    const auto &here = ready.look[below], &next = ready.look[below + 1];
                    unrolled<RowBlend::moments>([&]<int I>() { window[I] = here[I] + rest * (next[I] - here[I]); });
                } else {
                    look(i, window);
                }
                cells[i] = of.shift.rows.weighed(blended.blend, window, i);
            }
        }
        template <class Block>
        CT_HOST_DEVICE Complex64 of_blocks(const Block& block, ReadyRows& ready, int count, std::int64_t column) const {
            const auto part_of = [&](int i) -> const TakenView& { return of.taken[ready.number[i]]; };
            of.shift.template prepare<Terms>(block, ready, count, row, [&](int i) { return source(part_of(i)); });
            Complex64 sum{0, 0};
            of.shift.for_rows(
                block, ready, count,
                [&](int number, const ReadyRow& blended, Complex64* cells) {
                    const TakenView& part = part_of(number);
                    if (part.flat)
                        of.shift.blend(block, blended, part.weight, cells);
                    else
                        weigh(block, ready, part, blended, cells);
                },
                [&](int number, const ReadyRow& blended, const Complex64* cells) {
                    const IndexRange pixels = columns_of(part_of(number));
                    if (column < pixels.first || column >= pixels.last) return;
                    const LawArea& seen = of.levels[part_of(number).level].view.blocks[part_of(number).block].seen;
                    sum = sum + of.shift.template at<Taps, Terms>(blended, cells,
                                                                  seen.column_part(static_cast<double>(column)));
                });
            return sum;
        }
    };
};

}  // namespace cornerturn
