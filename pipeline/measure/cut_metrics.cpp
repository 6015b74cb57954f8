// SPDX-License-Identifier: Apache-2.0
// Width and sidelobes of a cut.
#include "pipeline/measure/cut_metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace cornerturn {

namespace {

/// Distance in elements from the peak to the half-power point in one direction; the end of the cut where there is none.
double half_width(const std::vector<double>& power, std::int64_t peak, std::int64_t direction) {
    const auto size = static_cast<std::int64_t>(power.size());
    const double half = 0.5 * power[peak];
    std::int64_t k = peak;
    while (k + direction >= 0 && k + direction < size && power[k] > half) k += direction;
    if (power[k] > half || k == peak) return static_cast<double>(std::abs(k - peak));
    const double inner = power[k - direction];
    return static_cast<double>(std::abs(k - peak)) - (half - power[k]) / (inner - power[k]);
}

/// Index of the first minimum from the peak in one direction.
std::int64_t first_minimum(const std::vector<double>& power, std::int64_t peak, std::int64_t direction) {
    const auto size = static_cast<std::int64_t>(power.size());
    std::int64_t k = peak;
    while (k + direction >= 0 && k + direction < size && power[k + direction] < power[k]) k += direction;
    return k;
}

}  // namespace

CutMetrics measure(const Cut& cut, double band, double pixel_m) {
    const auto& power = cut.power;
    const auto size = static_cast<std::int64_t>(power.size());
    const std::int64_t peak = size / 2;
    const std::int64_t left = first_minimum(power, peak, -1);
    const std::int64_t right = first_minimum(power, peak, +1);
    const auto span = static_cast<std::int64_t>(std::lround(10.0 / (band * cut.step_px)));
    const std::int64_t begin = std::max<std::int64_t>(0, left - span);
    const std::int64_t end = std::min(size, right + span + 1);

    double highest = 0;
    double side_energy = 0;
    for (std::int64_t k = begin; k < end; ++k) {
        if (k >= left && k <= right) continue;
        highest = std::max(highest, power[k]);
        side_energy += power[k];
    }
    const double main_energy = std::accumulate(power.begin() + left, power.begin() + right + 1, 0.0);

    CutMetrics metrics;
    metrics.irw_px = (half_width(power, peak, -1) + half_width(power, peak, +1)) * cut.step_px;
    metrics.irw_m = metrics.irw_px * pixel_m;
    metrics.pslr_db = 10.0 * std::log10(highest / power[peak]);
    metrics.islr_db = 10.0 * std::log10(side_energy / main_energy);
    return metrics;
}

}  // namespace cornerturn
