// SPDX-License-Identifier: Apache-2.0
// What a Doppler window makes of the band of a block of lines.
#pragma once

#include <cstdint>

#include "kernels/cpu/factorised/factor_tree.h"

namespace cornerturn {

/// What the window makes of a block along a row of a strip.
struct BlockWeighing {
    double error = 0;   ///< of its polynomials
    bool flat = false;  ///< one weight for all the block and all columns
    double weight = 0;  ///< that one
};

class BlockWindow {
public:
    explicit BlockWindow(const FactorTree& tree);

    BlockWeighing weighing(const LawAlongRow& offset, const ColumnStrip& strip, double half_hz) const;
    /// Nodes between those at which the window is looked up, for weights between them to be as near as everything else.
    std::int64_t weight_step(double hz_per_node) const;

private:
    const DopplerWindowView& window_;
    double tolerance_, bend_per_hz2_;
};

}  // namespace cornerturn
