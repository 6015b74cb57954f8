// SPDX-License-Identifier: Apache-2.0
// The blocks of a factorised sum as kernels see them: flat tables, made on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/back_projection/block_window.h"
#include "kernels/back_projection/factor_tree.h"
#include "kernels/math/complex.h"

namespace cornerturn {

struct FactorBlockView {
    std::int64_t first_line, lines;
    std::int64_t first_node, nodes;  ///< rows of nodes
    std::int64_t first_row;          ///< of them, among those of the level
    std::int64_t room;               ///< values of a row
    std::int64_t at;                 ///< first value, among those of the level
    std::int64_t merge_laws;         ///< first coefficient among the level's: cell and cycles in each line or child
    std::int64_t image_laws;         ///< likewise of cell, cycles and Doppler offset of pixels
    LawArea area, seen;              ///< of either
    double half_hz;
};

/// A row of nodes.
struct FactorRowView {
    std::int64_t block;
    std::int64_t first_cell, cells;  ///< that are filled
};

struct FactorLevelView {
    const FactorBlockView* blocks;
    const FactorRowView* rows;
    const double* merge_laws;
    const double* image_laws;
    std::int64_t block_count, row_count;
    std::int64_t most_cells;  ///< of a row
    std::int64_t step;        ///< image rows between nodes
};

/// What pixels of a few rows take of a block.
struct TakenView {
    int level;
    int flat;
    std::int64_t block;
    std::int64_t first_column, last_column;
    int first_row, last_row;
    float weight;  ///< where it is flat
};

/// The tables of a level in memory of the host, beside its laws.
struct FactorLevelTables {
    std::vector<FactorBlockView> blocks;
    std::vector<FactorRowView> rows;
};
/// Once the laws between blocks are known.
FactorLevelTables tables_of(const FactorLevel& level);
/// Of tables that lie elsewhere, but for the laws of the image.
FactorLevelView view_of(const FactorLevelTables& tables, std::int64_t step, const FactorBlockView* blocks,
                        const FactorRowView* rows, const double* merge_laws);

/// The blocks that rows of a strip are the sum of.
struct TakenBlocks {
    std::vector<TakenView> taken;
    std::vector<std::int64_t> first;  ///< of each rows_taken_together, and one behind the last
};
TakenBlocks taken_blocks(const FactorTree& tree, const ColumnStrip& strip);
/// Doppler frequencies over which the window is straight to the tolerance of the sum.
double straight_hz(const FactorisedAccumulation& pass);

/// Weights of two taps of an interpolation and their slopes, at even fractions of a cell: [fraction][pair of taps],
/// with zeros behind the last up to `taps`.
struct alignas(16) WeightsAndSlopes {
    float weight[2], slope[2];
};
std::vector<WeightsAndSlopes> weights_and_slopes(const OptimalInterpolation& interpolation, int taps);
/// The same from an even cell on, with two taps more: [fraction][whether the first tap's cell is odd][pair of taps].
std::vector<WeightsAndSlopes> weights_from_even_cells(const OptimalInterpolation& interpolation, int taps);

}  // namespace cornerturn
