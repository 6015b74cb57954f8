// SPDX-License-Identifier: Apache-2.0
// Laws of rows of nodes, found in double precision by a kernel of its own, and the nodes that a block of threads takes.
#pragma once

#include <cstdint>

#include "kernels/cuda/back_projection/factor_views.h"
#include "kernels/cuda/back_projection/warp_laws.cuh"
#include "kernels/cuda/launch/unrolled.h"
#include "kernels/math/complex.h"

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
    CT_HOST_DEVICE IndexRange columns() const { return {first_column, last_column}; }
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

}  // namespace cornerturn
