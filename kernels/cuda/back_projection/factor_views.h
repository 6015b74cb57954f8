// SPDX-License-Identifier: Apache-2.0
// The blocks of a factorised sum as kernels see them: flat tables, made on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/back_projection/block_window.h"
#include "kernels/back_projection/factor_tree.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// Columns of a law, of which a part goes from -1 to 1.
struct LawColumns {
    double middle, per_column;
    CT_HOST_DEVICE double part(std::int64_t column) const {
        return (static_cast<double>(column) - middle) * per_column;
    }
};

struct FactorBlockView {
    std::int64_t first_line, lines;
    std::int64_t first_node, nodes;  ///< rows of nodes
    std::int64_t first_row;          ///< of them, among those of the level
    std::int64_t room;               ///< values of a row
    std::int64_t at;                 ///< first value, among those of the level
    std::int64_t merge_laws;         ///< first coefficient among the level's: cell and cycles in each line or child
    std::int64_t image_laws;         ///< likewise of pixels: FactorTree::ImageLaw, or RaisedLaw where they have heights
    LawArea area, seen;              ///< of either
    LawColumns area_columns, seen_columns;
    double half_hz;
};

/// A row of nodes.
struct FactorRowView {
    std::int64_t block;
    std::int64_t first_cell, cells;  ///< that are filled
};

/// Rows of nodes or pixels that a block of threads forms together: what is read for one of them serves all.
inline constexpr int rows_at_once = rows_blended_together;

/// Rows of a block's nodes that are formed together.
struct FactorGroupView {
    std::int64_t block;
    std::int64_t first_node;         ///< of the block's
    std::int64_t rows;               ///< up to rows_at_once
    std::int64_t first_cell, cells;  ///< that are filled in any of them
};

struct FactorLevelView {
    const FactorBlockView* blocks;
    const FactorRowView* rows;
    const FactorGroupView* groups;
    const double* merge_laws;
    const double* image_laws;
    std::int64_t block_count, group_count;
    std::int64_t most_cells;  ///< of a group
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
    std::vector<FactorGroupView> groups;
};
/// Once the laws between blocks are known.
FactorLevelTables tables_of(const FactorTree& tree, int level);
/// The laws of pixels that their `image_laws` tell of.
const std::vector<double>& pixel_laws(const FactorTree& tree, int level);
/// Of tables that lie elsewhere, but for the laws of the image.
FactorLevelView view_of(const FactorLevelTables& tables, std::int64_t step, const FactorBlockView* blocks,
                        const FactorRowView* rows, const FactorGroupView* groups, const double* merge_laws);

/// The blocks that rows of a strip are the sum of.
struct TakenBlocks {
    std::vector<TakenView> taken;
    std::vector<std::int64_t> first;  ///< of each rows_taken_together, and one behind the last
};
TakenBlocks taken_blocks(const FactorTree& tree, const ColumnStrip& strip);
/// The laws of pixels with heights, of these blocks alone: a few of those that a window might ask for.
void find_raised_laws(FactorTree& tree, const TakenBlocks& blocks);
/// How many cells of a block so many columns of the image, in rows_at_once rows, are interpolated of at most.
int cells_of_columns(const FactorTree& tree, const ColumnStrip& strip, int columns);
/// Doppler frequencies over which the window is straight to the tolerance of the sum.
double straight_hz(const FactorisedAccumulation& pass);

}  // namespace cornerturn
