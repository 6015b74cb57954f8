// SPDX-License-Identifier: Apache-2.0
#include "kernels/back_projection/window_entries.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cornerturn {

std::vector<WindowEntry> window_entries(const DopplerWindow& window) {
    const std::size_t count = window.weight.size();
    const auto weight = [&](std::size_t entry) { return entry > 0 && entry <= count ? window.weight[entry - 1] : 0; };
    std::vector<WindowEntry> entries;
    for (std::size_t i = 0; i < count + 3; ++i) entries.push_back({weight(i), weight(i + 1) - weight(i)});
    return entries;
}

float straight_from_middle(const std::vector<float>& weight, double entries, bool level, double tolerance) {
    const auto at = [&](std::size_t i) { return static_cast<double>(weight[i]); };
    const auto holds = [&](std::size_t i) {
        // From its middle on, the line over n entries is off by n^2 / 8 of the second difference, by n / 2 over a
        // single bend.
        const double second = std::fabs(at(i - 1) - 2 * at(i) + at(i + 1)),
                     first = std::fabs(at(i + 1) - at(i - 1)) / 2;
        return level ? first * entries / 2 <= tolerance
                     : second * std::max(entries * entries / 8, entries / 2) <= tolerance;
    };
    const std::size_t middle = (weight.size() - 1) / 2;
    std::size_t reach = 0;
    while (reach < middle && holds(middle - reach) && holds(middle + reach)) ++reach;
    return static_cast<float>(reach);
}

float even_from_middle(const std::vector<float>& weight, double entries, AlongPhase along, double part,
                       double tolerance) {
    constexpr double in_level_parts = 2;
    const float straight = straight_from_middle(weight, entries, false, tolerance);
    return steps(along)
               ? std::min(straight, straight_from_middle(weight, entries * part, true, in_level_parts * tolerance))
               : straight;
}

}  // namespace cornerturn
