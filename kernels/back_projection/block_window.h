// SPDX-License-Identifier: Apache-2.0
// What a Doppler window makes of the band of a block of lines.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/back_projection/factor_tree.h"

namespace cornerturn {

/// What the window makes of a block along a row of a strip.
struct BlockWeighing {
    double error = 0;   ///< of its polynomials
    bool flat = false;  ///< one weight for all the block and all columns
    double weight = 0;  ///< that one
};

/// A block that the columns of a part of a row take.
struct TakenBlock {
    int level = 0;
    std::int64_t number = 0;
    ColumnStrip part{};
    bool flat = true;   ///< one weight for all the part
    double weight = 1;  ///< that one
};

class BlockWindow {
public:
    explicit BlockWindow(const FactorTree& tree);

    /// Calls add(TakenBlock) for all blocks that a row of the strip is the sum of: the longest, or where the window
    /// asks for it what they were merged of. Where the window lies elsewhere from column to column, it passes over most
    /// blocks somewhere in a strip: so the part is first made narrower, as blocks of few lines cost more than edges of
    /// parts.
    template <class Add>
    void for_blocks_of(std::int64_t row, const ColumnStrip& strip, const Add& add) const {
        const int top = tree_.factors.levels - 1;
        const auto count = static_cast<std::int64_t>(tree_.levels[static_cast<std::size_t>(top)].blocks.size());
        for (std::int64_t number = 0; number < count; ++number) take(top, number, row, strip, add);
    }

    BlockWeighing weighing(const LawAlongRow& offset, const ColumnStrip& strip, double half_hz) const;
    /// Nodes between those at which the window is looked up, for weights between them to be as near as everything else.
    std::int64_t weight_step(double hz_per_node) const;

private:
    /// Columns: what is read beside them is no more than that.
    static constexpr std::int64_t narrowest_part = 64;

    /// Whether all lines between two frequencies weigh the same, as most do.
    bool is_even(double from_hz, double to_hz) const;

    template <class Add>
    void take(int level, std::int64_t number, std::int64_t row, const ColumnStrip& part, const Add& add) const {
        const FactorBlock& block =
            tree_.levels[static_cast<std::size_t>(level)].blocks[static_cast<std::size_t>(number)];
        const auto at = static_cast<double>(row);
        if (window_.weight == nullptr) return add(TakenBlock{.level = level, .number = number, .part = part});
        if (at < block.first_row_of_any || block.last_row_of_any < at) return;
        if (block.first_row <= at && at <= block.last_row) {
            const LawAlongRow offset = tree_.image_law(level, block, FactorTree::of_offset, at);
            const BlockWeighing window = weighing(offset, part, block.half_hz);
            if (window.flat && window.weight == 0) return;
            const double change_hz = offset.at(part.last_column()) - offset.at(static_cast<double>(part.first_column));
            if (!window.flat && part.columns >= 2 * narrowest_part && std::fabs(change_hz) > std::fabs(block.half_hz)) {
                const std::int64_t half = whole_groups(part.columns / 2) * nodes_at_a_time;
                take(level, number, row, {part.first_column, half}, add);
                return take(level, number, row, {part.first_column + half, part.columns - half}, add);
            }
            if (level == 0 || window.error <= tree_.factors.window_tolerance)
                return add(TakenBlock{level, number, part, window.flat, window.weight});
        }
        if (level == 0) return;
        for (std::int64_t child = 0; child < tree_.factors.merged; ++child)
            if (tree_.child_of(level, number, child) != nullptr)
                take(level - 1, number * tree_.factors.merged + child, row, part, add);
    }

    const FactorTree& tree_;
    const DopplerWindowView& window_;
    double tolerance_, bend_per_hz2_;
    std::vector<std::int64_t> even_until_;  ///< of the window's entries, with a zero before and one behind
};

}  // namespace cornerturn
