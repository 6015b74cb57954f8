// SPDX-License-Identifier: Apache-2.0
// Spline through positions at times that need not be even, for tracks measured without velocities.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

/// The spline of fifth degree through positions, four times continuously differentiable, with no knot at the two
/// positions next to either end (de Boor, A Practical Guide to Splines, chapter XIII); of fewer than six positions the
/// polynomial through all. Its velocities are off by the sixth power of the spacing.
class QuinticSpline {
public:
    /// Times ascend, by no less than some per cent of what most are apart. At least two.
    QuinticSpline(const std::vector<double>& time_s, const std::vector<Vec3>& position_m);

    /// Outside the times the outermost polynomial.
    StateVector at(double time_s) const;

private:
    struct Values;  // of the B-splines that are not 0 at a time
    std::size_t span_of(double time_s) const;
    Values values_at(double time_s) const;
    void solve(const std::vector<double>& time_s);

    std::size_t degree_;
    Vec3 origin_m_{};  // so that metres are not drowned in the megametres of ECEF coordinates
    std::vector<double> knots_s_;
    std::vector<Vec3> coefficients_m_;  // from the origin; until solve() the positions
};

/// At the times themselves.
std::vector<Vec3> smooth_velocities_m_s(const std::vector<double>& time_s, const std::vector<Vec3>& position_m);

}  // namespace cornerturn
