// SPDX-License-Identifier: Apache-2.0
#include "kernels/back_projection/block_window.h"

#include <algorithm>
#include <cmath>

#include "kernels/back_projection/factorisation.h"

namespace cornerturn {
BlockWindow::BlockWindow(const FactorTree& tree)
    : tree_(tree),
      window_(tree.window),
      tolerance_(tree.factors.tolerance),
      bend_per_hz2_(largest_bend_per_hz2(tree.sum.window)) {}

BlockWeighing BlockWindow::weighing(const LawAlongRow& offset, const ColumnStrip& strip, double half_hz) const {
    constexpr double most_looks = 64;
    const double first_hz = offset.at(static_cast<double>(strip.first_column)),
                 change_hz = offset.at(strip.last_column()) - first_hz;
    // Under squint the window may begin and end between the edges of a strip.
    // A block of one line has no band.
    const double looks =
        half_hz != 0 ? std::min(std::ceil(std::fabs(change_hz / half_hz)) + 1, most_looks) : most_looks;
    BlockWeighing found{.flat = true};
    double least = INFINITY, greatest = -INFINITY;
    for (double look = 0; look <= looks; ++look) {
        const double offset_hz = first_hz + look / looks * change_hz;
        const WindowPolynomial weight = window_polynomial(window_, offset_hz, half_hz);
        found.error =
            std::max(found.error, weighing_error(weight, window_, offset_hz, half_hz, tree_.factors.range_part));
        found.flat = found.flat && is_flat(weight, tolerance_);
        least = std::min(least, weight.coefficient[0]);
        greatest = std::max(greatest, weight.coefficient[0]);
    }
    found.flat = found.flat && greatest - least <= tolerance_;
    found.weight = greatest;
    return found;
}

std::int64_t BlockWindow::weight_step(double hz_per_node) const {
    // Where the window's second derivative jumps by s, cubics over intervals h are off by some s h^2 / 30.
    const double most_hz = std::sqrt(30 * tolerance_ / bend_per_hz2_);
    std::int64_t step = nodes_at_a_time;
    while (step > 1 && static_cast<double>(step) * std::fabs(hz_per_node) > most_hz) step /= 2;
    return step;
}

}  // namespace cornerturn
