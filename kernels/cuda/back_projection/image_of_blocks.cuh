// SPDX-License-Identifier: Apache-2.0
// The image of factorised back-projection, by a thread for each column of pixels, in several rows of them.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/cuda/back_projection/factor_shift.cuh"
#include "kernels/cuda/back_projection/node_laws.cuh"

namespace cornerturn {

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
    double* along;                    ///< powers of the laws of each that is taken, for rows_taken_together rows
    std::int64_t rows, columns;
    ColumnStrip strip;
    double straight_hz;  ///< over which the window is as good as straight
    const Interval* covered_rows;
    Complex64* image;

    /// Some of the rows, in numbers of rows_taken_together.
    IndexRange times;
    IndexRange taken_then;

    CT_HOST_DEVICE void store(std::int64_t row, std::int64_t column, Complex64 sum) const {
        const auto gain = static_cast<float>(mesh.at(static_cast<double>(row), static_cast<double>(column)).gain);
        image[row * columns + column] = is_covered(covered_rows, row, column) ? gain * sum : Complex64{0, 0};
    }
};

/// Powers of the laws of their rows, so many laws for each.
template <int Laws, int Terms>
struct PixelLawsAlongRows {
    BlocksOfPixels of;

    static constexpr int threads = 256, stride = Laws * Terms;
    std::int64_t blocks() const {
        return ((of.taken_then.last - of.taken_then.first) * rows_taken_together * stride + threads - 1) / threads;
    }
    std::int64_t block_rows() const { return 1; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t number = static_cast<std::int64_t>(block.number()) * threads + block.thread().x,
                           taken = of.taken_then.first + number / stride / rows_taken_together;
        if (taken >= of.taken_then.last) return;
        const TakenView& part = of.taken[taken];
        const std::int64_t row = part.first_row + number / stride % rows_taken_together;
        if (row >= part.last_row) return;
        const FactorLevelView& level = of.levels[part.level].view;
        const FactorBlockView& block_of = level.blocks[part.block];
        const int power = static_cast<int>(number % Terms);
        const std::int64_t law = number % stride / Terms;
        of.along[number] =
            power_along(of.shift.terms, level.image_laws + block_of.image_laws + law * of.shift.terms.points(), power,
                        block_of.seen.row_part(static_cast<double>(row)));
    }
};

/// Pixels, as sums of the blocks that the window asks for.
template <int Taps, int Terms>
struct ImageOfBlocks {
    BlocksOfPixels of;
    TapPolynomials<Taps> weights;

    static constexpr int threads = factor_threads, planes = 2, laws = 3;
    /// What threads share beside a shift's: the blocks that they read, and looks at the window along the rows of each.
    struct Looks {
        static constexpr int most = 20;
        int steps;  ///< between them; 0: the window is not straight between so many
        double first_part, parts_per_cell;
        float window[most][RowBlend::moments];
    };
    struct alignas(16) Memory : FactorShift::Memory<Terms, ReadySources<Terms>::most> {
        std::int64_t number[ReadySources<Terms>::most];
        Looks looks[ReadySources<Terms>::most][rows_at_once];
    };
    std::int64_t blocks() const { return (of.times.last - of.times.first) * rows_taken_together / rows_at_once; }
    std::int64_t block_rows() const { return NodesOfThreads::parts_of(of.strip.columns); }
    std::size_t shared_bytes() const { return of.shift.shared_bytes<Taps, Memory>(); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        static_assert(rows_taken_together % rows_at_once == 0);
        const std::int64_t row = of.times.first * rows_taken_together + block.number() * rows_at_once,
                           first = of.strip.first_column + static_cast<std::int64_t>(block.row()) * threads,
                           end = of.strip.first_column + of.strip.columns,
                           last = first + threads < end ? first + threads : end, time = row / rows_taken_together;
        if (row >= of.rows) return;
        Memory& memory = *block.template memory<Memory>();
        const Chunk chunk{*this, row, {first, last}};
        of.shift.template clear<Taps>(block, FactorShift::cells_of(memory));
        Complex64 sum[rows_at_once] = {};
        const std::int64_t last_taken = of.first_taken[time + 1];
        for (std::int64_t next = of.first_taken[time]; next < last_taken;) {
            block.sync();
            int count = 0;
            for (; next < last_taken && count < Memory::most; ++next)
                if (chunk.is_taken(of.taken[next])) {
                    if (block.thread().x == 0) {
                        memory.number[count] = next;
                        memory.columns[count] = chunk.columns_of(of.taken[next]);
                    }
                    ++count;
                }
            block.sync();
            chunk.add(block, memory, count, sum);
        }
        const std::int64_t column = first + block.thread().x;
        if (column >= last) return;
        unrolled<rows_at_once>([&]<int R>() {
            if (row + R < of.rows) of.store(row + R, column, sum[R]);
        });
    }

private:
    /// Pixels that a block of threads takes.
    struct Chunk {
        const ImageOfBlocks& kernel;
        std::int64_t first_row;
        IndexRange columns;

        CT_HOST_DEVICE bool is_taken(const TakenView& part) const {
            return part.first_row < first_row + rows_at_once && part.last_row > first_row &&
                   part.first_column < columns.last && part.last_column > columns.first;
        }
        CT_HOST_DEVICE IndexRange columns_of(const TakenView& part) const {
            return {part.first_column > columns.first ? part.first_column : columns.first,
                    part.last_column < columns.last ? part.last_column : columns.last};
        }
        CT_HOST_DEVICE RowBlend::Between rows_of(const TakenView& part) const {
            const std::int64_t first = part.first_row - first_row, last = part.last_row - first_row;
            return {first_row, 1, first > 0 ? static_cast<int>(first) : 0,
                    last < rows_at_once ? static_cast<int>(last) : rows_at_once};
        }
        CT_HOST_DEVICE const TakenView& part_of(const Memory& memory, int number) const {
            return kernel.of.taken[memory.number[number]];
        }
        CT_HOST_DEVICE const FactorBlockView& block_of(const TakenView& part) const {
            return kernel.of.levels[part.level].view.blocks[part.block];
        }
        CT_HOST_DEVICE RowSource source(const Memory& memory, int number) const {
            constexpr int stride = laws * Terms;
            const TakenView& part = part_of(memory, number);
            const RowBlend::Between rows = rows_of(part);
            const std::int64_t row =
                (memory.number[number] - kernel.of.taken_then.first) * rows_taken_together + first_row - part.first_row;
            return {kernel.of.along + row * stride, stride, rows.first_there,           rows.last_there,
                    memory.columns + number,        true,   block_of(part).seen_columns};
        }
        template <class Block>
        CT_HOST_DEVICE void add(const Block& block, Memory& memory, int count, Complex64 (&sum)[rows_at_once]) const {
            const FactorShift& shift = kernel.of.shift;
            const auto source_of = [&](int number) { return source(memory, number); };
            memory.sources.find_cells(block, count, shift.taps, shift.capacity, shift.failed, source_of);
            prepare_looks(block, memory, count);
            memory.sources.find_laws(block, count, columns.first, shift.taps, source_of);
            for (int i = 0; i < count; ++i) {
                const TakenView& part = part_of(memory, i);
                const FactorLevelNodes& level = kernel.of.levels[part.level];
                const RowBlend::Between rows = rows_of(part);
                shift.find_reads(block, memory, i, level.view, block_of(part), level.nodes, rows);
                shift.find_weights(block, memory.weights[i], level.view.step, rows, part.flat ? 1 : RowBlend::moments,
                                   part.flat ? part.weight : 1.0f);
            }
            block.sync();
            look_along_rows(block, memory, count);
            Complex64* const cells = FactorShift::cells_of(memory);
            const int room = shift.template room<Taps>();
            bool there = true;
            for (int i = 0; i < count; ++i) {
                block.sync();
                if (!memory.sources.cells[i].whole) continue;
                if (part_of(memory, i).flat)
                    shift.template blend<Taps, planes>(block, memory.weights[i], memory.reads[i],
                                                       memory.sources.cells[i].filled, cells);
                else
                    weigh(block, memory, i, cells);
                block.sync();
                if (!warp_is_empty(block, columns))
                    there &= memory.sources.template add<Taps, planes, true>(block, i, kernel.weights, shift.taps,
                                                                             cells, room, room, sum);
            }
            if (!there) *shift.failed = 1;
        }

        /// Doppler offset of a cell. Columns of cells are straight between the ends of the row, near enough for the
        /// window.
        CT_HOST_DEVICE double offset_hz(const Memory& memory, int number, int row, double cell) const {
            const Looks& looks = memory.looks[number][row];
            return law_at<Terms>(source(memory, number).law(row) + 2 * Terms,
                                 looks.first_part + cell * looks.parts_per_cell);
        }
        CT_HOST_DEVICE void look(const Memory& memory, int number, int row, double cell,
                                 float (&window)[RowBlend::moments]) const {
            const WindowPolynomial w = window_polynomial(kernel.of.window, offset_hz(memory, number, row, cell),
                                                         block_of(part_of(memory, number)).half_hz);
            unrolled<RowBlend::moments>([&]<int I>() { window[I] = static_cast<float>(w.coefficient[I]); });
        }
        /// Finds out how many looks the window takes along each row of the blocks that it changes over.
        template <class Block>
        CT_HOST_DEVICE void prepare_looks(const Block& block, Memory& memory, int count) const {
            for (int i = block.thread().x; i < count * rows_at_once; i += threads) {
                const int number = i / rows_at_once, row = i % rows_at_once;
                Looks& looks = memory.looks[number][row];
                const RowSource from = source(memory, number);
                looks.steps = -1;
                if (part_of(memory, number).flat || row < from.first_row || row >= from.last_row) continue;
                const IndexRange of_row = from.columns_of(row);
                const auto& [first, last] = memory.sources.ends[number][row];
                const auto& cells = memory.sources.cells[number];
                const double first_part = from.of_laws.part(of_row.first), end = cells.filled - 1;
                looks.parts_per_cell =
                    last != first ? (from.of_laws.part(of_row.last - 1) - first_part) / (last - first) : 0.0;
                looks.first_part = first_part + (static_cast<double>(cells.first) - first) * looks.parts_per_cell;
                const double change_hz =
                    std::fabs(offset_hz(memory, number, row, end) - offset_hz(memory, number, row, 0));
                const auto needed = static_cast<float>(std::fmax(change_hz / kernel.of.straight_hz, end * (1.0 / 64)));
                looks.steps = needed < Looks::most - 1 ? static_cast<int>(std::ceil(needed)) : 0;
            }
        }
        template <class Block>
        CT_HOST_DEVICE void look_along_rows(const Block& block, Memory& memory, int count) const {
            for (int i = block.thread().x; i < count * rows_at_once * Looks::most; i += threads) {
                const int at = i / (count * rows_at_once), number = i / rows_at_once % count, row = i % rows_at_once;
                Looks& looks = memory.looks[number][row];
                if (looks.steps <= 0 || at > looks.steps) continue;
                const double end = memory.sources.cells[number].filled - 1;
                look(memory, number, row, at * (end / looks.steps), looks.window[at]);
            }
        }
        /// Fills cells with those of a block that the window changes over.
        template <class Block>
        CT_HOST_DEVICE void weigh(const Block& block, Memory& memory, int number, Complex64* cells) const {
            const FactorShift& shift = kernel.of.shift;
            const int filled = memory.sources.cells[number].filled;
            for (int i = block.thread().x; i < filled; i += threads)
                unrolled<rows_at_once / 2>([&]<int Pair>() {
                    float window[2][RowBlend::moments] = {};
                    unrolled<2>([&]<int R>() {
                        const Looks& looks = memory.looks[number][2 * Pair + R];
                        if (looks.steps > 0)
                            between_looks(looks, i, filled, window[R]);
                        else if (looks.steps == 0)
                            look(memory, number, 2 * Pair + R, i, window[R]);
                    });
                    Complex64 sum[2];
                    shift.rows.template weighed<2 * Pair>(memory.weights[number], memory.reads[number], i, window, sum);
                    unrolled<2>([&]<int R>() { cells[shift.template place<Taps, planes>(2 * Pair + R, i)] = sum[R]; });
                });
        }
        static CT_HOST_DEVICE void between_looks(const Looks& looks, int cell, int filled,
                                                 float (&window)[RowBlend::moments]) {
            const float at =
                filled > 1 ? static_cast<float>(cell * looks.steps) / static_cast<float>(filled - 1) : 0.0f;
            const int below = static_cast<int>(at) < looks.steps - 1 ? static_cast<int>(at) : looks.steps - 1;
            const float rest = at - static_cast<float>(below);
            const auto &here = looks.window[below], &next = looks.window[below + 1];
            unrolled<RowBlend::moments>([&]<int I>() { window[I] = here[I] + rest * (next[I] - here[I]); });
        }
    };
};

}  // namespace cornerturn
