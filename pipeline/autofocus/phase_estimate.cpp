// SPDX-License-Identifier: Apache-2.0
#include "pipeline/autofocus/phase_estimate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/math/phasor.h"
#include "pipeline/acquisition/fits/line_fit.h"

namespace cornerturn {
namespace {

/// Over places `first` to `last`.
StraightLine line_over(std::span<const double> values, std::span<const double> weight, std::size_t first,
                       std::size_t last) {
    return line_through(last - first, [&](std::size_t i) {
        return LinePoint{static_cast<double>(first + i), values[first + i], weight[first + i]};
    });
}

/// 1 where there is weight.
std::vector<double> illuminated(std::span<const double> weight) {
    std::vector<double> ones(weight.size());
    std::transform(weight.begin(), weight.end(), ones.begin(), [](double w) { return w > 0 ? 1.0 : 0.0; });
    return ones;
}

}  // namespace

void remove_weighted_line(std::span<double> values, std::span<const double> weight) {
    const StraightLine line = line_over(values, weight, 0, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= line(static_cast<double>(i));
}

void remove_line(std::span<double> phase_rad, std::span<const double> weight) {
    remove_weighted_line(phase_rad, illuminated(weight));
}

double bend_rad(std::span<const double> phase_rad, std::span<const double> weight, double aperture_lines) {
    const std::vector<double> there = illuminated(weight);
    const std::size_t lines = phase_rad.size(),
                      piece = std::min(lines, static_cast<std::size_t>(std::max(2.0, aperture_lines)));
    const std::size_t step = std::max<std::size_t>(1, piece / 4);
    double sum = 0, count = 0;
    for (std::size_t first = 0; first + piece <= lines; first += step) {
        const StraightLine line = line_over(phase_rad, there, first, first + piece);
        for (std::size_t i = first; i < first + piece; ++i) {
            sum += there[i] * std::pow(phase_rad[i] - line(static_cast<double>(i)), 2);
            count += there[i];
        }
    }
    return count > 0 ? std::sqrt(sum / count) : 0;
}

double rms_rad(std::span<const double> phase_rad, std::span<const double> weight) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < phase_rad.size(); ++i)
        if (weight[i] > 0) {
            sum += phase_rad[i] * phase_rad[i];
            count += 1;
        }
    return count > 0 ? std::sqrt(sum / count) : 0;
}

std::vector<Complex64> phasors_against(std::span<const double> phase_rad) {
    std::vector<Complex64> phasors;
    phasors.reserve(phase_rad.size());
    for (const double rad : phase_rad) phasors.push_back(unit_phasor<float>(-rad / (2 * std::numbers::pi)));
    return phasors;
}

double entropy_of(double power, double power_log_power) {
    return power > 0 ? std::log(power) - power_log_power / power : 0;
}

}  // namespace cornerturn
