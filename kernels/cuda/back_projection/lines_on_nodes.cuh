// SPDX-License-Identifier: Apache-2.0
// Level 0 of factorised back-projection: lines, by a thread for each column of nodes, in several rows of them.
#pragma once

#include <cstdint>

#include "kernels/cuda/back_projection/node_laws.cuh"
#include "kernels/cuda/back_projection/row_sources.cuh"

namespace cornerturn {

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
            for (int i = 0; i < count && !warp_is_empty(block, of_threads.columns()); ++i)
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

}  // namespace cornerturn
