// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/chebyshev.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace cornerturn {
std::vector<double> chebyshev_points(double from, double to, int count) {
    std::vector<double> points;
    for (int k = 0; k < count; ++k)
        points.push_back(0.5 * (from + to) + 0.5 * (to - from) * std::cos(std::numbers::pi * (k + 0.5) / count));
    return points;
}

ChebyshevSeries ChebyshevSeries::through(double from, double to, const std::vector<double>& values) {
    const std::size_t count = values.size();
    std::vector<double> cosine, coefficients(count);  // cosines of all multiples of half the points' step
    for (std::size_t i = 0; i < 4 * count; ++i)
        cosine.push_back(std::cos(std::numbers::pi * static_cast<double>(i) / static_cast<double>(2 * count)));
    for (std::size_t k = 0; k < count; ++k) {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) sum += values[i] * cosine[k * (2 * i + 1) % (4 * count)];
        coefficients[k] = sum * (k == 0 ? 1.0 : 2.0) / static_cast<double>(count);
    }
    return {from, to, std::move(coefficients)};
}

/// Clenshaw's recurrence.
double ChebyshevSeries::operator()(double x) const {
    const double u = half_ > 0 ? (x - centre_) / half_ : 0.0;
    double next = 0, after = 0;
    for (std::size_t k = coefficients_.size(); k-- > 1;) {
        const double now = coefficients_[k] + 2 * u * next - after;
        after = next;
        next = now;
    }
    return coefficients_.empty() ? 0.0 : coefficients_[0] + u * next - after;
}

ChebyshevSeries ChebyshevSeries::derivative() const {
    const std::size_t count = coefficients_.size();
    std::vector<double> slope(count + 1, 0.0);
    for (std::size_t k = count; k-- > 1;) slope[k - 1] = slope[k + 1] + 2 * static_cast<double>(k) * coefficients_[k];
    if (count > 0) slope[0] *= 0.5;
    slope.resize(std::max<std::size_t>(1, count > 0 ? count - 1 : 1));
    if (half_ > 0)
        for (double& c : slope) c /= half_;
    return {from(), to(), std::move(slope)};
}

double ChebyshevSeries::tail() const {
    double largest = 0;
    for (std::size_t k = coefficients_.size() - std::min<std::size_t>(2, coefficients_.size());
         k < coefficients_.size(); ++k)
        largest = std::max(largest, std::abs(coefficients_[k]));
    return largest;
}

std::vector<double> ChebyshevSeries::powers() const {
    const std::size_t count = coefficients_.size();
    std::vector<double> sum(count, 0.0), now(count, 0.0), before(count, 0.0);
    for (std::size_t k = 0; k < count; ++k) {
        if (k < 2) {
            before = now;
            std::fill(now.begin(), now.end(), 0.0);
            now[k] = 1;
        } else {  // T_k = 2 x T_{k-1} - T_{k-2}
            std::vector<double> next(count, 0.0);
            for (std::size_t i = 0; i < count; ++i) next[i] = (i > 0 ? 2 * now[i - 1] : 0.0) - before[i];
            before = now;
            now = std::move(next);
        }
        for (std::size_t i = 0; i < count; ++i) sum[i] += coefficients_[k] * now[i];
    }
    return sum;
}

PowersThrough::PowersThrough(int count) : count_(static_cast<std::size_t>(count)), matrix_(count_ * count_) {
    for (std::size_t point = 0; point < count_; ++point) {
        std::vector<double> values(count_, 0.0);
        values[point] = 1;
        const std::vector<double> powers = ChebyshevSeries::through(-1, 1, values).powers();
        for (std::size_t power = 0; power < count_; ++power) matrix_[power * count_ + point] = powers[power];
    }
}

void PowersThrough::operator()(const double* values, double* powers) const {
    for (std::size_t power = 0; power < count_; ++power) {
        powers[power] = 0;
        for (std::size_t point = 0; point < count_; ++point)
            powers[power] += matrix_[power * count_ + point] * values[point];
    }
}

namespace {

constexpr std::size_t most_x_terms = 32;

/// T_0 ... of a place in an interval.
void chebyshev_basis(double from, double to, double x, std::size_t count, double* basis) {
    const double half = 0.5 * (to - from), u = half > 0 ? (x - 0.5 * (from + to)) / half : 0.0;
    for (std::size_t k = 0; k < count; ++k) basis[k] = k == 0 ? 1 : k == 1 ? u : 2 * u * basis[k - 1] - basis[k - 2];
}

}  // namespace

ChebyshevSurface::ChebyshevSurface(double from_x, double to_x, const std::vector<ChebyshevSeries>& series)
    : from_x_(from_x), to_x_(to_x), x_terms_(series.size()) {
    if (x_terms_ > most_x_terms) throw std::logic_error("a Chebyshev surface has at most 32 terms in x");
    if (series.empty()) return;
    from_y_ = series[0].from();
    to_y_ = series[0].to();
    for (const ChebyshevSeries& s : series) y_terms_ = std::max(y_terms_, s.coefficients().size());
    for (std::size_t term = 0; term < y_terms_; ++term) {
        std::vector<double> values;
        for (const ChebyshevSeries& s : series)
            values.push_back(term < s.coefficients().size() ? s.coefficients()[term] : 0.0);
        const std::vector<double> over_x = ChebyshevSeries::through(from_x, to_x, values).coefficients();
        coefficients_.insert(coefficients_.end(), over_x.begin(), over_x.end());
    }
}

double ChebyshevSurface::coefficient(std::size_t term, const double* basis) const {
    const double* of_term = coefficients_.data() + term * x_terms_;
    double sum = 0;
    for (std::size_t k = 0; k < x_terms_; ++k) sum += of_term[k] * basis[k];
    return sum;
}

ChebyshevSeries ChebyshevSurface::at(double x) const {
    double basis[most_x_terms];
    chebyshev_basis(from_x_, to_x_, x, x_terms_, basis);
    std::vector<double> coefficients(y_terms_);
    for (std::size_t term = 0; term < y_terms_; ++term) coefficients[term] = coefficient(term, basis);
    return {from_y_, to_y_, std::move(coefficients)};
}

/// Clenshaw's recurrence for all coefficients at once.
ChebyshevSeries ChebyshevSurface::along_x(double y) const {
    const double half = 0.5 * (to_y_ - from_y_), v = half > 0 ? (y - 0.5 * (from_y_ + to_y_)) / half : 0.0;
    std::vector<double> coefficients(x_terms_);
    double next[most_x_terms] = {}, after[most_x_terms] = {};
    for (std::size_t term = y_terms_; term-- > 1;)
        for (std::size_t k = 0; k < x_terms_; ++k) {
            const double now = coefficients_[term * x_terms_ + k] + 2 * v * next[k] - after[k];
            after[k] = next[k];
            next[k] = now;
        }
    for (std::size_t k = 0; k < x_terms_; ++k) coefficients[k] = coefficients_[k] + v * next[k] - after[k];
    return {from_x_, to_x_, std::move(coefficients)};
}

double ChebyshevSurface::operator()(double x, double y) const {
    double basis[most_x_terms];
    chebyshev_basis(from_x_, to_x_, x, x_terms_, basis);
    const double half = 0.5 * (to_y_ - from_y_), v = half > 0 ? (y - 0.5 * (from_y_ + to_y_)) / half : 0.0;
    double next = 0, after = 0;
    for (std::size_t term = y_terms_; term-- > 1;) {
        const double now = coefficient(term, basis) + 2 * v * next - after;
        after = next;
        next = now;
    }
    return y_terms_ == 0 ? 0.0 : coefficient(0, basis) + v * next - after;
}

}  // namespace cornerturn
