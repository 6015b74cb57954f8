// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/pulse_interpolation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace cornerturn {
namespace {

/// White noise beside the signal, so that pulses which say nearly the same get no large weights against each other.
constexpr double noise = 1e-6;
constexpr double same_time = 1e-7;  // of an interval

double sinc(double x) {
    const double angle = std::numbers::pi * x;
    return std::abs(angle) < 1e-4 ? 1 - angle * angle / 6 : std::sin(angle) / angle;
}

/// Solves the symmetric, positive definite system in place (Cholesky).
void solve(std::vector<double>& matrix, std::vector<double>& right) {
    const std::size_t n = right.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k <= i; ++k) {
            double sum = matrix[i * n + k];
            for (std::size_t j = 0; j < k; ++j) sum -= matrix[i * n + j] * matrix[k * n + j];
            matrix[i * n + k] = k == i ? std::sqrt(sum) : sum / matrix[k * n + k];
        }
        for (std::size_t j = 0; j < i; ++j) right[i] -= matrix[i * n + j] * right[j];
        right[i] /= matrix[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = i + 1; j < n; ++j) right[i] -= matrix[j * n + i] * right[j];
        right[i] /= matrix[i * n + i];
    }
}

}  // namespace

std::vector<double> interpolation_weights(std::span<const double> times, double band) {
    std::vector<double> weights(times.size());
    const auto there = std::find_if(times.begin(), times.end(), [](double t) { return std::abs(t) < same_time; });
    if (there != times.end()) {
        weights[static_cast<std::size_t>(there - times.begin())] = 1;
        return weights;
    }
    std::vector<double> correlation(times.size() * times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
        weights[i] = sinc(band * times[i]);
        for (std::size_t k = 0; k <= i; ++k)
            correlation[i * times.size() + k] = sinc(band * (times[i] - times[k])) + (i == k ? noise : 0);
    }
    solve(correlation, weights);
    return weights;
}

double interpolation_error(std::span<const double> times, double band) {
    const std::vector<double> weights = interpolation_weights(times, band);
    double told = 0;
    for (std::size_t i = 0; i < times.size(); ++i) told += weights[i] * sinc(band * times[i]);
    return 1 - told;
}

}  // namespace cornerturn
