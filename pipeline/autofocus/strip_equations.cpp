// SPDX-License-Identifier: Apache-2.0
#include "pipeline/autofocus/strip_equations.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace cornerturn {

void BandedMatrix::factorise() {
    for (std::int64_t i = 0; i < size_; ++i) {
        for (std::int64_t j = std::max<std::int64_t>(0, i - band_); j <= i; ++j) {
            const std::int64_t from = std::max<std::int64_t>(0, i - band_);
            double sum = at(i, j);
            const double *row_i = &at(i, from), *row_j = j > from ? &at(j, from) : nullptr;
            for (std::int64_t k = 0; k < j - from; ++k) sum -= row_i[k] * row_j[k];
            if (i == j && !(sum > 0))
                throw std::logic_error("autofocus: the equations of the phase do not determine it");
            at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
        }
    }
}

std::vector<double> BandedMatrix::solve(std::vector<double> x) const {
    for (std::int64_t i = 0; i < size_; ++i) {
        double sum = x[static_cast<std::size_t>(i)];
        for (std::int64_t k = std::max<std::int64_t>(0, i - band_); k < i; ++k)
            sum -= at(i, k) * x[static_cast<std::size_t>(k)];
        x[static_cast<std::size_t>(i)] = sum / at(i, i);
    }
    for (std::int64_t i = size_; i-- > 0;) {
        double sum = x[static_cast<std::size_t>(i)];
        for (std::int64_t k = i + 1; k < std::min(size_, i + band_ + 1); ++k)
            sum -= at(k, i) * x[static_cast<std::size_t>(k)];
        x[static_cast<std::size_t>(i)] = sum / at(i, i);
    }
    return x;
}

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
    matrix_.factorise();
    return matrix_.solve(right_);
}

}  // namespace cornerturn
