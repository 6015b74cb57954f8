// SPDX-License-Identifier: Apache-2.0
// Smooth surfaces through scattered values, by least squares.
#pragma once

#include <vector>

#include "kernels/math/smooth_surface.h"

namespace cornerturn {

/// A power u^i v^j of a surface.
struct Power {
    int i, j;
};

/// All u^i v^j with i <= most_i, j <= most_j.
std::vector<Power> powers_up_to(int most_i, int most_j);

/// The surface with these values for some of its powers.
SmoothSurface with_powers(SmoothSurface surface, const std::vector<Power>& powers, const std::vector<double>& values);

/// Solution of rows x = right in the mean square, and the standard deviation of each unknown where the right sides
/// scatter by 1.
struct LeastSquares {
    std::vector<double> solution, deviation;
};
/// Rows of equal length. Unknowns that no row tells come out as 0.
LeastSquares least_squares(const std::vector<std::vector<double>>& rows, const std::vector<double>& right);

/// A value at a place, with the weight that its square has.
struct SurfacePoint {
    double x = 0, y = 0, value = 0, weight = 1;
};
/// One row of least_squares for each point: its powers times the root of its weight.
std::vector<std::vector<double>> rows_of(const SmoothSurface& frame, const std::vector<Power>& powers,
                                         const std::vector<SurfacePoint>& points);
/// The surface of these powers through points; `frame` says how places are scaled.
SmoothSurface fit_surface(const SmoothSurface& frame, const std::vector<Power>& powers,
                          const std::vector<SurfacePoint>& points);

}  // namespace cornerturn
