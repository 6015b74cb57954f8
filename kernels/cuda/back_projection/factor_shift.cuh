// SPDX-License-Identifier: Apache-2.0
// What moves nodes and pixels from block to block: rows that are blended of those of a block's nodes, in shared memory.
#pragma once

#include <cstdint>

#include "kernels/cuda/back_projection/row_blend.cuh"
#include "kernels/cuda/back_projection/row_sources.cuh"

namespace cornerturn {

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

}  // namespace cornerturn
