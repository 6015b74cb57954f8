// SPDX-License-Identifier: Apache-2.0
// Polynomials as SICD has them: coefficients of powers, in the units of what they are of.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "pipeline/acquisition/orbit.h"

namespace cornerturn::sicd {

/// [i] of x^i.
using Polynomial = std::vector<double>;
/// [i][j] of x^i y^j.
using Polynomial2 = std::vector<std::vector<double>>;

double value_at(const Polynomial& polynomial, double x);
double value_at(const Polynomial2& polynomial, double x, double y);

/// Values from low to high.
struct Reach {
    double low = 0, high = 0;
};

/// Of degree 4 in x and 2 in y, through values at 13 x 9 places evenly over a rectangle that holds (0, 0).
Polynomial2 fitted(const std::function<double(double x, double y)>& function, const Reach& x, const Reach& y);

/// An orbit over time in s since `start_s`.
struct TrackPolynomial {
    std::array<Polynomial, 3> position_m;
    double largest_error_m = 0;  ///< against the orbit

    Vec3 position(double time_s) const;
    Vec3 velocity(double time_s) const;
    Vec3 acceleration(double time_s) const;
};
/// Of the lowest degree from 5 to 11 that follows it to 0.1 mm, of 11 where none does.
TrackPolynomial track_polynomial(const Orbit& orbit, double start_s, const Reach& time_s);

}  // namespace cornerturn::sicd
