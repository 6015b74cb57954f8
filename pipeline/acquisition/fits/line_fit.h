// SPDX-License-Identifier: Apache-2.0
// Straight-line fits, medians, deviations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace cornerturn {

struct StraightLine {
    double middle = 0;  ///< weighted mean of the places
    double mean = 0;    ///< value there
    double slope = 0;
    double operator()(double place) const { return mean + slope * (place - middle); }
};

struct LinePoint {
    double at = 0, value = 0, weight = 1;
};

/// Weighted least squares through point(0) ... point(count - 1), which are asked for twice. Level where places do not
/// differ, 0 where nothing has a weight.
template <class Point>
StraightLine line_through(std::size_t count, const Point& point) {
    StraightLine line;
    double weights = 0, places = 0, values = 0, moment = 0, square = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const LinePoint p = point(i);
        weights += p.weight, places += p.weight * p.at, values += p.weight * p.value;
    }
    if (!(weights > 0)) return line;
    line.middle = places / weights, line.mean = values / weights;
    for (std::size_t i = 0; i < count; ++i) {
        const LinePoint p = point(i);
        const double off = p.at - line.middle;
        moment += p.weight * off * (p.value - line.mean), square += p.weight * off * off;
    }
    line.slope = square > 0 ? moment / square : 0;
    return line;
}

/// The upper one of two. Not of no values.
template <class Value>
Value median_of(std::vector<Value> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Standard deviation of an estimate, by what it comes to with one part of the data after the other left out
/// (jackknife).
inline double jackknife_deviation(const std::vector<double>& left_out) {
    const auto count = static_cast<double>(left_out.size());
    double sum = 0, squares = 0;
    for (const double value : left_out) sum += value, squares += value * value;
    return std::sqrt((count - 1) / count * std::max(0.0, squares - sum * sum / count));
}

}  // namespace cornerturn
