// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/optimal_interpolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>

namespace cornerturn {
namespace {

/// Of the power, added to it evenly over all frequencies: keeps weights of strongly oversampled signals from growing.
constexpr double noise = 1e-10;

}  // namespace

PowerOverFrequency PowerOverFrequency::flat(double highest) {
    constexpr std::size_t steps = 64;
    return {highest, std::vector<double>(steps, 1.0)};
}

OptimalInterpolation::OptimalInterpolation(int taps, PowerOverFrequency spectrum)
    : taps_(taps), spectrum_(std::move(spectrum)), correlations_(taps, taps - 1) {
    if (taps < 2 || taps % 2 != 0)
        throw std::logic_error(fmt::format("interpolation with {} taps; an even number is needed", taps));
    std::vector<double> lag;
    for (int i = 0; i < taps; ++i) lag.push_back(correlation(i, 0));
    for (int i = 0; i < taps; ++i)
        for (int k = 0; k <= i; ++k)
            correlations_.at(i, k) = lag[static_cast<std::size_t>(i - k)] + (i == k ? noise * lag[0] : 0.0);
    correlations_.factorise();
}

double OptimalInterpolation::correlation(double cells, int moment) const {
    const auto steps = static_cast<double>(spectrum_.power.size());
    double sum = 0;
    for (std::size_t i = 0; i < spectrum_.power.size(); ++i) {
        const double part = (static_cast<double>(i) + 0.5) / steps,
                     angle = 2 * std::numbers::pi * part * spectrum_.highest * cells;
        sum += spectrum_.power[i] * std::pow(part, moment) * (moment % 2 == 0 ? std::cos(angle) : std::sin(angle));
    }
    return sum / steps;
}

std::vector<double> OptimalInterpolation::weights(double fraction, int moment) const {
    std::vector<double> w;
    for (int i = 0; i < taps_; ++i) w.push_back(correlation(fraction - (i - taps_ / 2 + 1), moment));
    correlations_.solve(w);
    return w;
}

/// E |x - sum w x_k|^2 = r(0) - sum w r(k - u) for the best weights.
double OptimalInterpolation::error_at(double fraction) const {
    const std::vector<double> w = weights(fraction);
    double error = correlation(0, 0);
    for (int i = 0; i < taps_; ++i)
        error -= w[static_cast<std::size_t>(i)] * correlation(fraction - (i - taps_ / 2 + 1), 0);
    return error / correlation(0, 0);
}

double OptimalInterpolation::mean_square_error() const {
    const double mean = 0.5 * (error_at(0.125) + error_at(0.375));  // those beyond the middle mirror these
    return mean > 0 ? mean : 0;
}

double OptimalInterpolation::error_at_edge() const {
    constexpr double least_power = 1e-3;
    const std::vector<double>& power = spectrum_.power;
    const double most = *std::max_element(power.begin(), power.end());
    const auto beyond = std::find_if(power.rbegin(), power.rend(), [=](double p) { return p >= least_power * most; });
    const double highest =
                     spectrum_.highest * static_cast<double>(power.rend() - beyond) / static_cast<double>(power.size()),
                 turn = 2 * std::numbers::pi * highest;
    double sum = 0;
    for (const double fraction : {0.125, 0.375, 0.625, 0.875}) {
        const std::vector<double> w = weights(fraction);
        std::complex<double> error = 1;
        for (int i = 0; i < taps_; ++i)
            error -= w[static_cast<std::size_t>(i)] * std::polar(1.0, turn * (i - taps_ / 2 + 1 - fraction));
        sum += 0.25 * std::norm(error);
    }
    return sum;
}

template <class Real>
InterpolationTable<Real>::InterpolationTable(const OptimalInterpolation& interpolation) : taps_(interpolation.taps()) {
    constexpr double step = 1.0 / fractions;
    for (int i = 0; i <= fractions; ++i) {
        const std::vector<double> here = interpolation.weights(i * step),
                                  before = interpolation.weights((i - 0.5) * step),
                                  behind = interpolation.weights((i + 0.5) * step);
        for (std::size_t tap = 0; tap < here.size(); ++tap) {
            weight_.push_back(static_cast<Real>(here[tap]));
            slope_.push_back(static_cast<Real>((behind[tap] - before[tap]) / step));
            bend_.push_back(static_cast<Real>(2 * (behind[tap] + before[tap] - 2 * here[tap]) / (step * step)));
        }
    }
}

template class InterpolationTable<float>;
template class InterpolationTable<double>;

}  // namespace cornerturn
