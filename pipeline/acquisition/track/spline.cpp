// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/spline.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

constexpr std::size_t highest_degree = 5;

}  // namespace

struct QuinticSpline::Values {
    std::size_t first = 0;  ///< of the coefficients they belong to
    std::array<double, highest_degree + 1> value{}, slope_s{};
};

QuinticSpline::QuinticSpline(const std::vector<double>& time_s, const std::vector<Vec3>& position_m)
    : degree_(std::min(highest_degree, time_s.size() - 1)) {
    const std::size_t count = time_s.size();
    if (count < 2 || position_m.size() != count)
        throw std::logic_error("a spline needs two positions or more, with a time each");
    origin_m_ = position_m.front();
    knots_s_.assign(degree_ + 1, time_s.front());
    const std::size_t beside = (degree_ + 1) / 2;  // positions at either end without a knot
    for (std::size_t i = beside; i + beside < count && knots_s_.size() < count; ++i) knots_s_.push_back(time_s[i]);
    knots_s_.insert(knots_s_.end(), degree_ + 1, time_s.back());
    for (const Vec3& position : position_m) coefficients_m_.push_back(position - origin_m_);
    solve(time_s);
}

std::size_t QuinticSpline::span_of(double time_s) const {
    const auto inner = knots_s_.begin() + static_cast<std::ptrdiff_t>(degree_ + 1),
               end = knots_s_.end() - static_cast<std::ptrdiff_t>(degree_ + 1);
    return static_cast<std::size_t>(std::upper_bound(inner, end, time_s) - knots_s_.begin()) - 1;
}

/// Cox's and de Boor's recurrence; slopes by the values of one degree less.
QuinticSpline::Values QuinticSpline::values_at(double time_s) const {
    const std::size_t span = span_of(time_s);
    Values values{.first = span - degree_};
    std::array<double, highest_degree + 1> lower{};
    values.value[0] = 1;
    for (std::size_t order = 1; order <= degree_; ++order) {
        lower = values.value;
        values.value = {};
        for (std::size_t i = 0; i < order; ++i) {
            const double from_s = knots_s_[span + 1 + i - order], to_s = knots_s_[span + 1 + i];
            const double share = lower[i] / (to_s - from_s);
            values.value[i] += (to_s - time_s) * share;
            values.value[i + 1] += (time_s - from_s) * share;
            if (order < degree_) continue;
            values.slope_s[i] -= static_cast<double>(degree_) * share;
            values.slope_s[i + 1] += static_cast<double>(degree_) * share;
        }
    }
    return values;
}

/// The matrix of B-splines at the positions is banded and totally positive, for which elimination needs no pivots
/// (de Boor, chapter XIII).
void QuinticSpline::solve(const std::vector<double>& time_s) {
    const std::size_t count = time_s.size(), width = 2 * highest_degree + 1;
    std::vector<std::array<double, width>> band(count);  // of row i the columns from i - degree on
    for (std::size_t i = 0; i < count; ++i) {
        band[i].fill(0);
        const Values values = values_at(time_s[i]);
        for (std::size_t k = 0; k <= degree_; ++k)
            if (values.value[k] != 0) band[i].at(values.first + k + degree_ - i) = values.value[k];
    }
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t row = i + 1; row < std::min(count, i + degree_ + 1); ++row) {
            const double factor = band[row][i + degree_ - row] / band[i][degree_];
            if (factor == 0) continue;
            for (std::size_t column = i; column < std::min(count, i + degree_ + 1); ++column)
                band[row][column + degree_ - row] -= factor * band[i][column + degree_ - i];
            coefficients_m_[row] = coefficients_m_[row] - factor * coefficients_m_[i];
        }
    for (std::size_t i = count; i-- > 0;) {
        for (std::size_t column = i + 1; column < std::min(count, i + degree_ + 1); ++column)
            coefficients_m_[i] = coefficients_m_[i] - band[i][column + degree_ - i] * coefficients_m_[column];
        coefficients_m_[i] = 1 / band[i][degree_] * coefficients_m_[i];
    }
}

StateVector QuinticSpline::at(double time_s) const {
    const Values values = values_at(time_s);
    StateVector state{origin_m_, {}};
    for (std::size_t k = 0; k <= degree_; ++k) {
        state.position_m = state.position_m + values.value[k] * coefficients_m_[values.first + k];
        state.velocity_m_s = state.velocity_m_s + values.slope_s[k] * coefficients_m_[values.first + k];
    }
    return state;
}

std::vector<Vec3> smooth_velocities_m_s(const std::vector<double>& time_s, const std::vector<Vec3>& position_m) {
    const QuinticSpline spline(time_s, position_m);
    std::vector<Vec3> velocities_m_s;
    for (const double time : time_s) velocities_m_s.push_back(spline.at(time).velocity_m_s);
    return velocities_m_s;
}

}  // namespace cornerturn
