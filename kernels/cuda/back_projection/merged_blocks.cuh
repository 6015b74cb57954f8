// SPDX-License-Identifier: Apache-2.0
// Blocks of factorised back-projection, merged by a thread for each column of nodes, in several rows of them.
#pragma once

#include <cstdint>

#include "kernels/cuda/back_projection/factor_shift.cuh"
#include "kernels/cuda/back_projection/node_laws.cuh"

namespace cornerturn {

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
                if (!warp_is_empty(block, of_threads.columns()))
                    there &= memory.sources.template add<Taps, 1, false>(block, i, weights, shift.taps, cells,
                                                                         shift.template room<Taps>(),
                                                                         shift.template room<Taps>(), sum);
            }
        }
        if (!there) *shift.failed = 1;
        of_threads.store(block, to, memory.columns, level, sum, nodes);
    }
};

}  // namespace cornerturn
