// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/back_projection/factor_views.h"

#include <algorithm>
#include <cmath>

#include "kernels/back_projection/factorisation.h"
#include "kernels/host/line_loop.h"

namespace cornerturn {
namespace {

LawColumns columns_of(const LawArea& area) {
    const double width = area.to_column - area.from_column;
    return {0.5 * (area.from_column + area.to_column), width > 0 ? 2 / width : 0.0};
}

/// Rows of nodes from the first on that a block's threads form together.
FactorGroupView group_of(const FactorBlock& block, std::int64_t number, std::size_t first) {
    const std::size_t last = std::min(first + rows_at_once, block.cells.size());
    std::int64_t low = INT64_MAX, high = INT64_MIN;
    for (std::size_t node = first; node < last; ++node) {
        low = std::min(low, block.first_cell[node]);
        high = std::max(high, block.first_cell[node] + block.cells[node]);
    }
    return {number, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last - first), low, high - low};
}

}  // namespace

const std::vector<double>& pixel_laws(const FactorTree& tree, int level) {
    const FactorLevel& of = tree.levels[static_cast<std::size_t>(level)];
    return tree.has_heights() ? of.raised_laws : of.image_laws;
}

FactorLevelTables tables_of(const FactorTree& tree, int level) {
    FactorLevelTables made;
    for (const FactorBlock& block : tree.levels[static_cast<std::size_t>(level)].blocks) {
        made.blocks.push_back(
            {.first_line = block.lines.first,
             .lines = block.lines.last - block.lines.first,
             .first_node = block.first_node,
             .nodes = block.nodes,
             .first_row = static_cast<std::int64_t>(made.rows.size()),
             .room = block.room,
             .at = static_cast<std::int64_t>(block.at / 2),
             .merge_laws = static_cast<std::int64_t>(block.merge_laws),
             .image_laws = static_cast<std::int64_t>(tree.has_heights() ? block.raised_laws : block.image_laws),
             .area = block.area,
             .seen = block.seen,
             .area_columns = columns_of(block.area),
             .seen_columns = columns_of(block.seen),
             .half_hz = block.half_hz});
        const auto number = static_cast<std::int64_t>(made.blocks.size()) - 1;
        for (std::size_t node = 0; node < block.first_cell.size(); ++node)
            made.rows.push_back({number, block.first_cell[node], block.cells[node]});
        for (std::size_t node = 0; node < block.first_cell.size(); node += rows_at_once)
            made.groups.push_back(group_of(block, number, node));
    }
    return made;
}

FactorLevelView view_of(const FactorLevelTables& tables, std::int64_t step, const FactorBlockView* blocks,
                        const FactorRowView* rows, const FactorGroupView* groups, const double* merge_laws) {
    std::int64_t most_cells = 0;
    for (const FactorGroupView& group : tables.groups) most_cells = std::max(most_cells, group.cells);
    return {.blocks = blocks,
            .rows = rows,
            .groups = groups,
            .merge_laws = merge_laws,
            .image_laws = nullptr,
            .block_count = static_cast<std::int64_t>(tables.blocks.size()),
            .group_count = static_cast<std::int64_t>(tables.groups.size()),
            .most_cells = most_cells,
            .step = step};
}

TakenBlocks taken_blocks(const FactorTree& tree, const ColumnStrip& strip) {
    const BlockWindow window(tree);
    const std::int64_t rows = tree.sum.rows, times = (rows + rows_taken_together - 1) / rows_taken_together;
    std::vector<std::vector<TakenView>> of_rows(static_cast<std::size_t>(times));
    for_each_line(times, tree.threads, [&](std::int64_t time) {
        const std::int64_t first = time * rows_taken_together;
        window.for_blocks_of({first, std::min(first + rows_taken_together, rows)}, strip, [&](const TakenBlock& of) {
            if (tree.levels[static_cast<std::size_t>(of.level)].blocks[static_cast<std::size_t>(of.number)].nodes > 0)
                of_rows[static_cast<std::size_t>(time)].push_back(
                    {.level = of.level,
                     .flat = of.flat ? 1 : 0,
                     .block = of.number,
                     .first_column = of.part.first_column,
                     .last_column = of.part.first_column + of.part.columns,
                     .first_row = static_cast<int>(of.rows.first),
                     .last_row = static_cast<int>(of.rows.last),
                     .weight = static_cast<float>(of.weight)});
        });
    });
    TakenBlocks all;
    for (const std::vector<TakenView>& row : of_rows) {
        all.first.push_back(static_cast<std::int64_t>(all.taken.size()));
        all.taken.insert(all.taken.end(), row.begin(), row.end());
    }
    all.first.push_back(static_cast<std::int64_t>(all.taken.size()));
    return all;
}

void find_raised_laws(FactorTree& tree, const TakenBlocks& blocks) {
    for (FactorLevel& level : tree.levels)
        for (FactorBlock& block : level.blocks) block.taken = false;
    for (const TakenView& taken : blocks.taken)
        tree.level_at(taken.level).blocks[static_cast<std::size_t>(taken.block)].taken = true;
    tree.find_raised_laws();
}

int cells_of_columns(const FactorTree& tree, const ColumnStrip& strip, int columns) {
    double most = 0;
    for (int l = 0; l < tree.factors.levels; ++l)
        for (const FactorBlock& block : tree.levels[static_cast<std::size_t>(l)].blocks) {
            if (block.nodes == 0 || block.first_row > block.last_row) continue;
            for (const double row : {block.first_row, 0.5 * (block.first_row + block.last_row), block.last_row}) {
                const LawAlongRow here = tree.image_law(l, block, FactorTree::of_cell, row),
                                  next = tree.image_law(l, block, FactorTree::of_cell,
                                                        std::max(block.first_row, row - (rows_at_once - 1)));
                for (std::int64_t first = 0; first < strip.columns; first += columns) {
                    const double from = static_cast<double>(strip.first_column + first),
                                 to = std::min(from + columns - 1, strip.last_column());
                    most = std::max(most, std::fabs(here.at(to) - here.at(from)) +
                                              std::max(std::fabs(here.at(from) - next.at(from)),
                                                       std::fabs(here.at(to) - next.at(to))));
                }
            }
        }
    constexpr double beside = 16, limit = 4096;  // what shared memory holds
    return static_cast<int>(std::min(most * 1.02 + tree.factors.cell_taps + beside, limit));
}

double straight_hz(const FactorisedAccumulation& pass) {
    return std::sqrt(8 * pass.factors.tolerance / largest_bend_per_hz2(pass.sum.window));
}

}  // namespace cornerturn
