// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/response_width.h"

#include <algorithm>
#include <cstddef>
#include <numbers>

#include "kernels/math/phasor.h"

namespace cornerturn {

namespace {

/// At so many places to either side, `step` apart. Phases grow evenly over the band: each phasor is the one before,
/// turned on; all places at once, so that it becomes vector code.
std::vector<double> power_at(const std::vector<std::complex<double>>& weights, int looks, double step) {
    const auto n = static_cast<double>(weights.size());
    const auto places = static_cast<std::size_t>(2 * looks + 1);
    std::vector<double> re, im, turn_re, turn_im, sum_re(places), sum_im(places), power(places);
    for (int look = -looks; look <= looks; ++look) {
        const std::complex<double> first = std_phasor(look * step * 0.5 * (1 / n - 1)),
                                   turn = std_phasor(look * step / n);
        re.push_back(first.real()), im.push_back(first.imag());
        turn_re.push_back(turn.real()), turn_im.push_back(turn.imag());
    }
    for (const std::complex<double>& weight : weights)
        for (std::size_t i = 0; i < places; ++i) {
            sum_re[i] += weight.real() * re[i] - weight.imag() * im[i];
            sum_im[i] += weight.real() * im[i] + weight.imag() * re[i];
            const double turned = re[i] * turn_re[i] - im[i] * turn_im[i];
            im[i] = re[i] * turn_im[i] + im[i] * turn_re[i];
            re[i] = turned;
        }
    for (std::size_t i = 0; i < places; ++i) power[i] = sum_re[i] * sum_re[i] + sum_im[i] * sum_im[i];
    return power;
}

}  // namespace

BandResponse response_of(const std::vector<std::complex<double>>& weights) {
    constexpr int looks = 160;
    constexpr double step = 0.05;
    const std::vector<double> power = power_at(weights, looks, step);
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

double response_width(const std::vector<std::complex<double>>& weights) { return response_of(weights).width; }

}  // namespace cornerturn
