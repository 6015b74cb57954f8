// SPDX-License-Identifier: Apache-2.0
// Effect of a Doppler window on the band of a block of lines.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/back_projection/factor_tree.h"

namespace cornerturn {

/// What the window makes of a block along rows of a strip.
struct BlockWeighing {
    double error = 0;   ///< of its polynomials
    bool flat = false;  ///< one weight for all the block and all columns
    double weight = 0;  ///< that one
};

/// Rows that find their blocks together, from multiples of it on: on all devices, so that they sum the same.
inline constexpr std::int64_t rows_taken_together = 8;

/// A block that pixels of a few rows take.
struct TakenBlock {
    int level = 0;
    std::int64_t number = 0;
    IndexRange rows{};
    ColumnStrip part{};
    bool flat = true;   ///< one weight for all the part
    double weight = 1;  ///< that one
};

class BlockWindow {
public:
    explicit BlockWindow(const FactorTree& tree);

    /// Calls add(TakenBlock) for all blocks that rows of the strip are the sum of, some at a time: the longest, or
    /// where the window asks for it what they were merged of. Where the window lies elsewhere from column to column, it
    /// passes over most blocks somewhere in a strip: so the part is first made narrower, as blocks of few lines cost
    /// more than edges of parts. Likewise from row to row.
    template <class Add>
    void for_blocks_of(IndexRange rows, const ColumnStrip& strip, const Add& add) const {
        const int top = tree_.factors.levels - 1;
        const auto count = static_cast<std::int64_t>(tree_.levels[static_cast<std::size_t>(top)].blocks.size());
        for (std::int64_t number = 0; number < count; ++number) take(top, number, rows, strip, add);
    }

    /// Along the first and the last of some rows. `if_flat`: what is not flat is not looked at any further.
    BlockWeighing weighing(const LawAlongRow& first, const LawAlongRow& last, const ColumnStrip& strip, double half_hz,
                           bool if_flat) const;
    /// Nodes between those at which the window is looked up, for weights between them to be as near as everything else.
    std::int64_t weight_step(double hz_per_node) const;

private:
    /// Columns: what is read beside them is no more than that.
    static constexpr std::int64_t narrowest_part = 64;

    /// Looks along a row.
    struct Looks {
        BlockWeighing found{.flat = true};
        double least = INFINITY, greatest = -INFINITY;
    };
    void look(double first_hz, double last_hz, double half_hz, bool if_flat, Looks& looks) const;
    /// Whether all lines between two frequencies weigh the same, as most do.
    bool is_even(double from_hz, double to_hz) const;

    template <class Add>
    void take(int level, std::int64_t number, IndexRange rows, const ColumnStrip& part, const Add& add) const {
        const FactorBlock& block =
            tree_.levels[static_cast<std::size_t>(level)].blocks[static_cast<std::size_t>(number)];
        if (window_.weight == nullptr)
            return add(TakenBlock{.level = level, .number = number, .rows = rows, .part = part});
        if (static_cast<double>(rows.last - 1) < block.first_row_of_any ||
            block.last_row_of_any < static_cast<double>(rows.first))
            return;
        // Lines see rows from one to another.
        const IndexRange seen{std::max(rows.first, static_cast<std::int64_t>(std::ceil(block.first_row))),
                              std::min(rows.last, static_cast<std::int64_t>(std::floor(block.last_row)) + 1)};
        const bool all = seen.first == rows.first && seen.last == rows.last;
        if (seen.first < seen.last && (all || level == 0) && takes_whole(level, number, rows, seen, part, add)) return;
        if (level == 0) return;
        for (std::int64_t child = 0; child < tree_.factors.merged; ++child)
            if (tree_.child_of(level, number, child) != nullptr)
                take(level - 1, number * tree_.factors.merged + child, rows, part, add);
    }

    /// Adds a block, takes it for parts of rows or columns, or leaves it out as its weight is zero. False: the window
    /// bends too much within the block, so what it was merged of is to be taken instead.
    template <class Add>
    bool takes_whole(int level, std::int64_t number, IndexRange rows, IndexRange seen, const ColumnStrip& part,
                     const Add& add) const {
        const FactorBlock& block =
            tree_.levels[static_cast<std::size_t>(level)].blocks[static_cast<std::size_t>(number)];
        const auto offset_along = [&](std::int64_t row) {
            return tree_.image_law(level, block, FactorTree::of_offset, static_cast<double>(row));
        };
        const LawAlongRow first = offset_along(seen.first),
                          last = seen.last - seen.first > 1 ? offset_along(seen.last - 1) : first;
        const auto column = static_cast<double>(part.first_column);
        const double half_hz = std::fabs(block.half_hz),
                     over_columns_hz = first.at(part.last_column()) - first.at(column),
                     over_rows_hz = last.at(column) - first.at(column);
        const bool narrower = part.columns >= 2 * narrowest_part && std::fabs(over_columns_hz) > half_hz,
                   fewer_rows = seen.last - seen.first > 1 && std::fabs(over_rows_hz) > half_hz;
        const BlockWeighing window = weighing(first, last, part, block.half_hz, narrower || fewer_rows);
        if (window.flat && window.weight == 0) return true;
        if (!window.flat && narrower) {
            const std::int64_t half = whole_groups(part.columns / 2) * nodes_at_a_time;
            take(level, number, rows, {part.first_column, half}, add);
            take(level, number, rows, {part.first_column + half, part.columns - half}, add);
            return true;
        }
        if (!window.flat && fewer_rows) {
            const std::int64_t middle = (rows.first + rows.last) / 2;
            take(level, number, {rows.first, middle}, part, add);
            take(level, number, {middle, rows.last}, part, add);
            return true;
        }
        const bool holds = level == 0 || window.error <= tree_.factors.window_tolerance;
        if (holds) add(TakenBlock{level, number, seen, part, window.flat, window.weight});
        return holds;
    }

    const FactorTree& tree_;
    const DopplerWindowView& window_;
    double tolerance_, bend_per_hz2_;
    std::vector<std::int64_t> even_until_;  ///< of the window's entries, with a zero before and one behind
};

}  // namespace cornerturn
