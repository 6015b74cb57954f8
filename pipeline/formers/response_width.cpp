// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/response_width.h"

#include <algorithm>
#include <cstddef>
#include <numbers>

#include "pipeline/formers/zoomed_spectrum.h"

namespace cornerturn {

BandResponse response_of(const std::vector<std::complex<double>>& weights) {
    constexpr int looks = 160;
    constexpr double step = 0.05;
    const auto n = static_cast<double>(weights.size());
    std::vector<double> power;
    for (const std::complex<double>& look :
         zoomed_spectrum(weights, {0.5 * (1 / n - 1), 1 / n}, {-looks * step, step}, 2 * looks + 1))
        power.push_back(std::norm(look));
    const auto top = static_cast<std::size_t>(std::max_element(power.begin(), power.end()) - power.begin());
    const double half = 0.5 * power[top];
    const auto falls_at = [&](int way) {
        std::size_t i = top;
        for (; i > 0 && i + 1 < power.size(); i = way > 0 ? i + 1 : i - 1)
            if (power[i] <= half) break;
        const double here = power[i], before = power[way > 0 ? std::max<std::size_t>(i, 1) - 1 : i + 1];
        return static_cast<double>(i) - way * (before > here ? (half - here) / (before - here) : 0.0);
    };
    const auto beside = [&](int by) {
        const auto i = static_cast<std::ptrdiff_t>(top) + by;
        return i < 0 || i >= static_cast<std::ptrdiff_t>(power.size()) ? 0.0 : power[static_cast<std::size_t>(i)];
    };
    const double bend = beside(-1) - 2 * power[top] + beside(1);
    const double off = bend < 0 ? 0.5 * (beside(-1) - beside(1)) / bend : 0.0;
    std::complex<double> sum = 0;
    for (const std::complex<double>& weight : weights) sum += weight;
    return {.width = step * (falls_at(1) - falls_at(-1)),
            .place = step * (static_cast<double>(top) + off - looks),
            .phase_cycles = std::arg(sum) / (2 * std::numbers::pi)};
}

}  // namespace cornerturn
