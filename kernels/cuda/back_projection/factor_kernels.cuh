// SPDX-License-Identifier: Apache-2.0
// Factorised back-projection by a thread for each column of nodes or pixels, in several rows of them. Laws along rows
// are found first, in double precision, by kernels of their own.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/cuda/back_projection/factor_rows.cuh"

namespace cornerturn {

/// Powers of the laws of rows of nodes, one row behind the other.
struct NodeLaws {
    FactorLevelView level;
    LawTerms terms;
    int laws_of_row;
    std::int64_t first_group, groups;  ///< whose rows are taken
    double* along;

    /// Powers of a row.
    template <int Terms>
    CT_HOST_DEVICE int stride() const {
        return laws_of_row * Terms;
    }
    template <int Terms>
    CT_HOST_DEVICE const double* of_group(std::int64_t group) const {
        return along + group * rows_at_once * stride<Terms>();
    }
};
template <int Terms>
struct NodeLawsAlongRows {
    NodeLaws to;

    static constexpr int threads = 256;
    std::int64_t powers() const { return to.groups * rows_at_once * to.stride<Terms>(); }
    std::int64_t blocks() const { return (powers() + threads - 1) / threads; }
    std::int64_t block_rows() const { return 1; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t number = static_cast<std::int64_t>(block.number()) * threads + block.thread().x,
                           row = number / to.stride<Terms>(), of_group = row / rows_at_once;
        if (of_group >= to.groups) return;
        const FactorGroupView group = to.level.groups[to.first_group + of_group];
        const std::int64_t node = group.first_node + row % rows_at_once;
        if (node >= group.first_node + group.rows) return;
        const FactorBlockView& of = to.level.blocks[group.block];
        const int power = static_cast<int>(number % Terms);
        const std::int64_t law = number % to.stride<Terms>() / Terms;
        to.along[number] = power_along(to.terms, to.level.merge_laws + of.merge_laws + law * to.terms.points(), power,
                                       of.area.row_part(static_cast<double>((of.first_node + node) * to.level.step)));
    }
};

/// A group of rows of nodes, and which of its columns a block of threads takes.
struct NodesOfThreads {
    FactorGroupView group;
    std::int64_t first_column, last_column;

    template <class Block>
    CT_HOST_DEVICE NodesOfThreads(const Block& block, const NodeLaws& laws)
        : group(laws.level.groups[laws.first_group + block.number()]) {
        first_column = group.first_cell + static_cast<std::int64_t>(block.row()) * factor_threads;
        const std::int64_t end = group.first_cell + group.cells;
        last_column = first_column + factor_threads < end ? first_column + factor_threads : end;
    }
    CT_HOST_DEVICE bool empty() const { return first_column >= last_column; }
    /// Of a thread's warp.
    template <class Block>
    CT_HOST_DEVICE bool warp_is_empty(const Block& block) const {
        return first_column + block.thread().x / warp_columns * warp_columns >= last_column;
    }
    static std::int64_t parts_of(std::int64_t columns) { return (columns + factor_threads - 1) / factor_threads; }

    /// Which of them each row has.
    template <class Block>
    CT_HOST_DEVICE void find_columns(const Block& block, const FactorLevelView& level, const FactorBlockView& of,
                                     IndexRange (&columns)[rows_at_once]) const {
        const int row = block.thread().x;
        if (row >= group.rows) return;
        const FactorRowView filled = level.rows[of.first_row + group.first_node + row];
        const std::int64_t end = filled.first_cell + filled.cells;
        columns[row] = {first_column > filled.first_cell ? first_column : filled.first_cell,
                        last_column < end ? last_column : end};
    }
    template <class Block>
    CT_HOST_DEVICE void store(const Block& block, const FactorBlockView& of, const IndexRange (&columns)[rows_at_once],
                              const FactorLevelView& level, const Complex64 (&sum)[rows_at_once],
                              Complex64* nodes) const {
        const std::int64_t column = first_column + block.thread().x;
        unrolled<rows_at_once>([&]<int R>() {
            if (R >= group.rows || column < columns[R].first || column >= columns[R].last) return;
            const std::int64_t node = group.first_node + R, cell = column - level.rows[of.first_row + node].first_cell;
            nodes[of.at + node * of.room + cell] = sum[R];
        });
    }
};

/// Level 0: lines, summed on nodes.
template <int Taps, int Terms>
struct LinesOnNodes {
    NodeLaws laws;
    TapPolynomials<Taps> weights;
    int taps;
    const Complex64* compressed;
    std::int64_t cells;  ///< of a line
    int capacity;        ///< cells that threads share of a line
    int* failed;         ///< set where these do not suffice
    Complex64* nodes;

    static constexpr int threads = factor_threads;
    struct Memory {
        ReadySources<Terms> sources;
        IndexRange columns[rows_at_once];
        CT_HOST_DEVICE Complex64* cells() { return reinterpret_cast<Complex64*>(this + 1); }
    };
    using Cells = SharedCells<2>;
    CT_HOST_DEVICE int room() const { return Cells::room_for(capacity + Taps); }
    std::size_t shared_bytes() const {
        return sizeof(Memory) + static_cast<std::size_t>(ReadySources<Terms>::most * room()) * sizeof(Complex64);
    }
    /// Where cells lie twice as near as they should.
    static int capacity_for(const FactorisedAccumulation& pass) {
        return 2 * factor_threads * static_cast<int>(pass.cells_per_column / pass.factors.nodes_per_column) +
               pass.factors.line_taps + 16;
    }
    std::int64_t blocks() const { return laws.groups; }
    std::int64_t block_rows() const { return NodesOfThreads::parts_of(laws.level.most_cells); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        constexpr int most = ReadySources<Terms>::most;
        const NodesOfThreads of_threads(block, laws);
        if (of_threads.empty()) return;
        const FactorGroupView& group = of_threads.group;
        const FactorBlockView& of = laws.level.blocks[group.block];
        Memory& memory = *block.template memory<Memory>();
        ReadySources<Terms>& sources = memory.sources;
        of_threads.find_columns(block, laws.level, of, memory.columns);
        for (int i = block.thread().x; i < most * room(); i += threads) memory.cells()[i] = {0, 0};
        block.sync();
        Complex64 sum[rows_at_once] = {};
        bool there = true;
        for (int begin = 0; begin < of.lines; begin += most) {
            const int count = static_cast<int>(of.lines) - begin < most ? static_cast<int>(of.lines) - begin : most;
            const auto source = [&](int number) {
                return RowSource{laws.of_group<Terms>(block.number()) + 2 * (begin + number) * Terms,
                                 laws.stride<Terms>(),
                                 0,
                                 static_cast<int>(group.rows),
                                 memory.columns,
                                 false,
                                 of.area_columns};
            };
            sources.find_cells(block, count, taps, capacity, failed, source);
            sources.find_laws(block, count, of_threads.first_column, taps, source);
            read(block, of.first_line + begin, count, memory);
            block.sync();
            for (int i = 0; i < count && !of_threads.warp_is_empty(block); ++i)
                if (sources.cells[i].whole)
                    there &= sources.template add<Taps, 2, false>(block, i, weights, taps, memory.cells() + i * room(),
                                                                  0, room(), sum);
        }
        if (!there) *failed = 1;
        of_threads.store(block, of, memory.columns, laws.level, sum, nodes);
    }

private:
    /// Cells of lines from the first on, zero beyond them. Loads of all lines are under way together.
    template <class Block>
    CT_HOST_DEVICE void read(const Block& block, std::int64_t first_line, int count, Memory& memory) const {
        constexpr int most = ReadySources<Terms>::most;
        int most_filled = 0;
        for (int n = 0; n < count; ++n) {
            const int filled = memory.sources.cells[n].filled;
            most_filled = filled > most_filled ? filled : most_filled;
        }
        for (int i = block.thread().x; i < most_filled; i += threads) {
            Complex64 value[most];
            unrolled<most>([&]<int N>() {
                value[N] = {0, 0};
                if (N >= count) return;
                const std::int64_t cell = memory.sources.cells[N].first + i;
                if (cell >= 0 && cell < cells) value[N] = compressed[(first_line + N) * cells + cell];
            });
            const int to = Cells::place(room(), i + (Taps - taps) / 2);
            unrolled<most>([&]<int N>() { memory.cells()[N * room() + to] = value[N]; });
        }
    }
};

/// What nodes and pixels that move from block to block have in common.
struct FactorShift {
    LawTerms terms;
    RowBlend rows;
    int taps;      ///< along cells
    int capacity;  ///< cells of a blended row
    int* failed;   ///< set where cells are missing

    static constexpr int threads = factor_threads;
    /// Of rows of nodes, were there two cells for each.
    static int capacity_for(const Factorisation& factors) { return 2 * threads + factors.cell_taps + 20; }
    template <int Taps>
    CT_HOST_DEVICE int room() const {
        return SharedCells<2>::room_for(capacity + Taps);
    }

    /// What threads share.
    template <int Terms, int Blends>
    struct alignas(16) Memory {
        static constexpr int most = ReadySources<Terms>::most;
        ReadySources<Terms> sources;
        RowBlend::Weights weights[Blends];
        RowBlend::Reads reads[most];
        IndexRange columns[most > rows_at_once ? most : rows_at_once];
    };
    /// Behind that lie cells of the rows that are blended.
    template <class Memory>
    static CT_HOST_DEVICE Complex64* cells_of(Memory& memory) {
        return reinterpret_cast<Complex64*>(&memory + 1);
    }
    template <int Taps, class Memory>
    std::size_t shared_bytes() const {
        return sizeof(Memory) + static_cast<std::size_t>(rows_at_once * room<Taps>()) * sizeof(Complex64);
    }

    /// Cells beyond those that are filled count with weight zero.
    template <int Taps, class Block>
    CT_HOST_DEVICE void clear(const Block& block, Complex64* cells) const {
        if (taps == Taps) return;
        for (int i = block.thread().x; i < rows_at_once * room<Taps>(); i += threads) cells[i] = {0, 0};
    }
    /// Where a cell of a row is put.
    template <int Taps, int Planes>
    CT_HOST_DEVICE int place(int row, int cell) const {
        return row * room<Taps>() + SharedCells<Planes>::place(room<Taps>(), cell + (Taps - taps) / 2);
    }
    /// Finds the rows that a source is blended of, and what they count.
    template <class Block, class Memory>
    CT_HOST_DEVICE void find_reads(const Block& block, Memory& memory, int number, const FactorLevelView& level,
                                   const FactorBlockView& of, const Complex64* nodes,
                                   const RowBlend::Between& between) const {
        auto& cells = memory.sources.cells[number];
        const IndexRange wanted{cells.first, cells.first + cells.filled};
        const int count = rows.read_count(between, level.step);
        for (int read = block.thread().x; read < count; read += threads) {
            if (rows.put_row(memory.reads[number], read, level, of, nodes, between, wanted)) continue;
            cells.whole = false;
            *failed = 1;
        }
        if (block.thread().x == 0) memory.reads[number].count = count;
    }
    template <class Block>
    CT_HOST_DEVICE void find_weights(const Block& block, RowBlend::Weights& weights, std::int64_t nodes_step,
                                     const RowBlend::Between& between, int moments, float factor) const {
        const int items = rows_at_once * rows.read_count(between, nodes_step);
        for (int item = block.thread().x; item < items; item += threads)
            rows.put_weight(weights, item, nodes_step, between, moments, factor);
    }
    /// Fills cells with those of blended rows.
    template <int Taps, int Planes, class Block>
    CT_HOST_DEVICE void blend(const Block& block, const RowBlend::Weights& weights, const RowBlend::Reads& reads,
                              int filled, Complex64* cells) const {
        for (int i = block.thread().x; i < filled; i += threads) {
            Complex64 sum[rows_at_once] = {};
            rows.at(weights, reads, i, sum);
            unrolled<rows_at_once>([&]<int R>() { cells[place<Taps, Planes>(R, i)] = sum[R]; });
        }
    }
};

/// Blocks of the level below, merged into longer ones.
template <int Taps, int Terms>
struct MergedBlocks {
    NodeLaws laws;
    FactorLevelView below;
    FactorShift shift;
    TapPolynomials<Taps> weights;
    int merged;
    const Complex64* from;
    Complex64* nodes;

    static constexpr int threads = factor_threads;
    std::int64_t blocks() const { return laws.groups; }
    std::int64_t block_rows() const { return NodesOfThreads::parts_of(laws.level.most_cells); }
    using Memory = FactorShift::Memory<Terms, 1>;
    std::size_t shared_bytes() const { return shift.shared_bytes<Taps, Memory>(); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const FactorLevelView& level = laws.level;
        const NodesOfThreads of_threads(block, laws);
        if (of_threads.empty()) return;
        const FactorGroupView& group = of_threads.group;
        const FactorBlockView& to = level.blocks[group.block];
        const RowBlend::Between between{(to.first_node + group.first_node) * level.step, level.step, 0,
                                        static_cast<int>(group.rows)};
        Memory& memory = *block.template memory<Memory>();
        Complex64* const cells = FactorShift::cells_of(memory);
        shift.template clear<Taps>(block, cells);
        of_threads.find_columns(block, level, to, memory.columns);
        shift.find_weights(block, memory.weights[0], below.step, between, 1, 1);
        block.sync();
        Complex64 sum[rows_at_once] = {};
        bool there = true;
        for (int begin = 0; begin < merged; begin += Memory::most) {
            const int count = merged - begin < Memory::most ? merged - begin : Memory::most;
            const auto is_child = [&](int number) {
                const std::int64_t child = group.block * merged + begin + number;
                return child < below.block_count && below.blocks[child].nodes > 0;
            };
            const auto source = [&](int number) {
                return RowSource{laws.of_group<Terms>(block.number()) + 2 * (begin + number) * Terms,
                                 laws.stride<Terms>(),
                                 0,
                                 is_child(number) ? static_cast<int>(group.rows) : 0,
                                 memory.columns,
                                 false,
                                 to.area_columns};
            };
            memory.sources.find_cells(block, count, shift.taps, shift.capacity, shift.failed, source);
            memory.sources.find_laws(block, count, of_threads.first_column, shift.taps, source);
            for (int i = 0; i < count; ++i)
                if (is_child(i))
                    shift.find_reads(block, memory, i, below, below.blocks[group.block * merged + begin + i], from,
                                     between);
            for (int i = 0; i < count; ++i) {
                block.sync();
                if (!memory.sources.cells[i].whole) continue;
                shift.template blend<Taps, 1>(block, memory.weights[0], memory.reads[i], memory.sources.cells[i].filled,
                                              cells);
                block.sync();
                if (!of_threads.warp_is_empty(block))
                    there &= memory.sources.template add<Taps, 1, false>(block, i, weights, shift.taps, cells,
                                                                         shift.template room<Taps>(),
                                                                         shift.template room<Taps>(), sum);
            }
        }
        if (!there) *shift.failed = 1;
        of_threads.store(block, to, memory.columns, level, sum, nodes);
    }
};

struct FactorLevelNodes {
    FactorLevelView view;
    const Complex64* nodes;
};

/// What the pixels of a strip are summed of.
struct BlocksOfPixels {
    static constexpr int most_levels = 12, laws_of_row = 3;
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
};

/// Powers of the laws of their rows.
template <int Terms>
struct PixelLawsAlongRows {
    BlocksOfPixels of;

    static constexpr int threads = 256, stride = BlocksOfPixels::laws_of_row * Terms;
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

    static constexpr int threads = factor_threads, planes = 2;
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
            if (row + R >= of.rows) return;
            const auto gain =
                static_cast<float>(of.mesh.at(static_cast<double>(row + R), static_cast<double>(column)).gain);
            of.image[(row + R) * of.columns + column] =
                is_covered(of.covered_rows, row + R, column) ? gain * sum[R] : Complex64{0, 0};
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
            constexpr int stride = BlocksOfPixels::laws_of_row * Terms;
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
            const bool some = columns.first + block.thread().x / warp_columns * warp_columns < columns.last;
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
                if (some)
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
