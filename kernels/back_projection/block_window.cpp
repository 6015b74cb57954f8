// SPDX-License-Identifier: Apache-2.0
#include "kernels/back_projection/block_window.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/back_projection/factorisation.h"

namespace cornerturn {
namespace {

/// Zero, the window's weights, zero.
double weight_of(const DopplerWindow& window, std::size_t entry) {
    return entry > 0 && entry <= window.weight.size() ? static_cast<double>(window.weight[entry - 1]) : 0.0;
}

/// Of each entry the last one behind it up to which weights are its own, to `tolerance`.
std::vector<std::int64_t> even_until(const DopplerWindow& window, double tolerance) {
    if (window.weight.empty()) return {};
    const std::size_t count = window.weight.size() + 2;
    std::vector<std::int64_t> until(count);
    for (std::size_t i = count; i-- > 0;) {
        const double here = weight_of(window, i);
        std::size_t last = i;
        if (i + 1 < count && weight_of(window, i + 1) == here)
            last = static_cast<std::size_t>(until[i + 1]);
        else
            while (last + 1 < count && std::fabs(weight_of(window, last + 1) - here) <= tolerance) ++last;
        until[i] = static_cast<std::int64_t>(last);
    }
    return until;
}

}  // namespace

BlockWindow::BlockWindow(const FactorTree& tree)
    : tree_(tree),
      window_(tree.window),
      tolerance_(tree.factors.tolerance),
      bend_per_hz2_(largest_bend_per_hz2(tree.sum.window)),
      even_until_(even_until(tree.sum.window, 0.1 * tree.factors.tolerance)) {}

bool BlockWindow::is_even(double from_hz, double to_hz) const {
    if (!(from_hz <= to_hz) || even_until_.empty()) return false;  // not a number, too
    const double last = static_cast<double>(even_until_.size()) - 1;
    const auto entry = [&](double offset_hz) {  // zero is the one before the window's first
        return std::clamp(window_.middle + window_.per_hz * offset_hz + 1, 0.0, last);
    };
    const auto first = static_cast<std::size_t>(std::floor(entry(from_hz)));
    return std::ceil(entry(to_hz)) <= static_cast<double>(even_until_[first]);
}

BlockWeighing BlockWindow::weighing(const LawAlongRow& first, const LawAlongRow& last, const ColumnStrip& strip,
                                    double half_hz, bool if_flat) const {
    const auto column = static_cast<double>(strip.first_column);
    const double corner[] = {first.at(column), first.at(strip.last_column()), last.at(column),
                             last.at(strip.last_column())};
    const auto [low, high] = std::minmax_element(std::begin(corner), std::end(corner));
    const double raised_hz = tree_.beside.offset_hz;
    if (is_even(*low - std::fabs(half_hz) - raised_hz, *high + std::fabs(half_hz) + raised_hz))
        return {.flat = true, .weight = window_.at(corner[0])};
    Looks looks;
    if (raised_hz > 0) {
        look(*low - raised_hz, *high + raised_hz, half_hz, if_flat, looks);
    } else {
        look(corner[0], corner[1], half_hz, if_flat, looks);
        if (corner[2] != corner[0] || corner[3] != corner[1]) look(corner[2], corner[3], half_hz, if_flat, looks);
    }
    looks.found.weight = looks.greatest;
    return looks.found;
}

void BlockWindow::look(double first_hz, double last_hz, double half_hz, bool if_flat, Looks& looks) const {
    constexpr double most_looks = 64;
    const double change_hz = last_hz - first_hz;
    // Under squint the window may begin and end between the edges of a strip.
    // A block of one line has no band.
    const double count =
        half_hz != 0 ? std::min(std::ceil(std::fabs(change_hz / half_hz)) + 1, most_looks) : most_looks;
    BlockWeighing& found = looks.found;
    for (double at = 0; at <= count && (found.flat || !if_flat); ++at) {
        const double offset_hz = first_hz + at / count * change_hz;
        const WindowPolynomial weight = window_polynomial(window_, offset_hz, half_hz);
        found.error =
            std::max(found.error, weighing_error(weight, window_, offset_hz, half_hz, tree_.factors.range_part));
        looks.least = std::min(looks.least, weight.coefficient[0]);
        looks.greatest = std::max(looks.greatest, weight.coefficient[0]);
        found.flat = found.flat && is_flat(weight, tolerance_) && looks.greatest - looks.least <= tolerance_;
    }
}

std::int64_t BlockWindow::weight_step(double hz_per_node) const {
    // Where the window's second derivative jumps by s, cubics over intervals h are off by some s h^2 / 30.
    const double most_hz = std::sqrt(30 * tolerance_ / bend_per_hz2_);
    std::int64_t step = nodes_at_a_time;
    while (step > 1 && static_cast<double>(step) * std::fabs(hz_per_node) > most_hz) step /= 2;
    return step;
}

}  // namespace cornerturn
