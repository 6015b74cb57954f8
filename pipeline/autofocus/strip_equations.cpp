// SPDX-License-Identifier: Apache-2.0
#include "pipeline/autofocus/strip_equations.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace cornerturn {

/// The weights W less what constant and slope explain of them: W - W 1 1' W / (1' W 1) - W x x' W / (x' W x) with x
/// about the weighted middle.
void StripEquations::add(std::int64_t first, std::span<const double> weights, std::span<const double> values) {
    const std::size_t count = weights.size();
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    double moment = 0;
    for (std::size_t i = 0; i < count; ++i) moment += weights[i] * static_cast<double>(i);
    std::vector<double> x(count);
    double spread = 0, mean = 0, slope = 0;
    for (std::size_t i = 0; i < count; ++i) {
        x[i] = static_cast<double>(i) - moment / sum;
        spread += weights[i] * x[i] * x[i];
        mean += weights[i] * values[i];
        slope += weights[i] * x[i] * values[i];
    }
    if (!(sum > 0) || !(spread > 0)) return;
    for (std::size_t i = 0; i < count; ++i) {
        right_[static_cast<std::size_t>(first) + i] += weights[i] * (values[i] - mean / sum - x[i] * slope / spread);
        for (std::size_t j = 0; j <= i; ++j)
            matrix_.at(first + static_cast<std::int64_t>(i), first + static_cast<std::int64_t>(j)) +=
                weights[i] * ((i == j ? 1.0 : 0.0) - weights[j] * (1 / sum + x[i] * x[j] / spread));
    }
}

void StripEquations::add_smoothness(double strength) {
    constexpr double difference[] = {1, -2, 1};
    for (std::int64_t first = 0; first + 3 <= matrix_.size(); ++first)
        for (std::int64_t i = 0; i < 3; ++i)
            for (std::int64_t j = 0; j <= i; ++j)
                matrix_.at(first + i, first + j) += strength * difference[i] * difference[j];
}

/// Constant and slope of the whole are nobody's: a trace of weight, above what rounding leaves of the others, keeps
/// them near zero.
std::vector<double> StripEquations::solve() {
    double diagonal = 0;
    for (std::int64_t i = 0; i < matrix_.size(); ++i) diagonal += matrix_.at(i, i);
    const double trace = 1e-12 * diagonal / static_cast<double>(std::max<std::int64_t>(1, matrix_.size()));
    for (std::int64_t i = 0; i < matrix_.size(); ++i) matrix_.at(i, i) += trace;
    if (!matrix_.factorise()) throw std::logic_error("autofocus: the equations of the phase do not determine it");
    std::vector<double> phase = right_;
    matrix_.solve(phase);
    return phase;
}

}  // namespace cornerturn
