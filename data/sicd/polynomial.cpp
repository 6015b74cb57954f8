// SPDX-License-Identifier: Apache-2.0
#include "data/sicd/polynomial.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipeline/acquisition/fits/surface_fit.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn::sicd {
namespace {

Polynomial derivative(const Polynomial& polynomial) {
    Polynomial slope;
    for (std::size_t i = 1; i < polynomial.size(); ++i) slope.push_back(static_cast<double>(i) * polynomial[i]);
    return slope;
}

/// The same of x where the given one is of (x - centre) / half.
Polynomial unscaled(const Polynomial& of_part, double centre, double half) {
    Polynomial result(of_part.size());
    for (std::size_t i = of_part.size(); i-- > 0;) {  // Horner's rule, a polynomial in place of the value
        for (std::size_t k = result.size(); k-- > 0;)
            result[k] = (k > 0 ? result[k - 1] / half : 0.0) - result[k] * centre / half;
        result[0] += of_part[i];
    }
    return result;
}

Vec3 of_axes(const std::array<Polynomial, 3>& axes, double x) {
    return {value_at(axes[0], x), value_at(axes[1], x), value_at(axes[2], x)};
}
std::array<Polynomial, 3> derivative(const std::array<Polynomial, 3>& axes) {
    return {derivative(axes[0]), derivative(axes[1]), derivative(axes[2])};
}

/// Fitted is what is left of straight flight, which needs fewer digits.
TrackPolynomial of_degree(int degree, const Orbit& orbit, double start_s, const Reach& time_s) {
    const double centre = 0.5 * (time_s.low + time_s.high), half = std::max(0.5 * (time_s.high - time_s.low), 1e-3);
    const StateVector middle = interpolate(orbit, start_s + centre);
    std::vector<std::vector<double>> rows;
    std::array<std::vector<double>, 3> right;
    const int places = 4 * degree;
    for (int k = 0; k < places; ++k) {
        const double part = std::cos(std::numbers::pi * (k + 0.5) / places);
        rows.emplace_back();
        for (int i = 0; i <= degree; ++i) rows.back().push_back(std::pow(part, i));
        const Vec3 rest = interpolate(orbit, start_s + centre + part * half).position_m - middle.position_m -
                          part * half * middle.velocity_m_s;
        for (std::size_t axis = 0; axis < 3; ++axis) right[axis].push_back(rest[axis]);
    }
    TrackPolynomial track;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Polynomial of_part = least_squares(rows, right[axis]).solution;
        of_part[0] += middle.position_m[axis];
        of_part[1] += half * middle.velocity_m_s[axis];
        track.position_m[axis] = unscaled(of_part, centre, half);
    }
    constexpr int checks = 97;
    for (int k = 0; k < checks; ++k) {
        const double time = std::lerp(time_s.low, time_s.high, static_cast<double>(k) / (checks - 1));
        track.largest_error_m =
            std::max(track.largest_error_m, norm(track.position(time) - interpolate(orbit, start_s + time).position_m));
    }
    return track;
}

}  // namespace

double value_at(const Polynomial& polynomial, double x) {
    double value = 0;
    for (std::size_t i = polynomial.size(); i-- > 0;) value = value * x + polynomial[i];
    return value;
}

double value_at(const Polynomial2& polynomial, double x, double y) {
    double value = 0;
    for (std::size_t i = polynomial.size(); i-- > 0;) value = value * x + value_at(polynomial[i], y);
    return value;
}

Polynomial2 fitted(const std::function<double(double, double)>& function, const Reach& x, const Reach& y) {
    constexpr int most_x = 4, most_y = 2, places_x = 13, places_y = 9;
    const double x_half = std::max({-x.low, x.high, 1e-9}), y_half = std::max({-y.low, y.high, 1e-9});
    const std::vector<Power> powers = powers_up_to(most_x, most_y);
    std::vector<std::vector<double>> rows;
    std::vector<double> right;
    const double at_origin = function(0, 0);
    for (int i = 0; i < places_x; ++i)
        for (int k = 0; k < places_y; ++k) {
            const double at_x = std::lerp(x.low, x.high, i / (places_x - 1.0)),
                         at_y = std::lerp(y.low, y.high, k / (places_y - 1.0));
            rows.emplace_back();
            for (const Power& power : powers)
                rows.back().push_back(std::pow(at_x / x_half, power.i) * std::pow(at_y / y_half, power.j));
            right.push_back(function(at_x, at_y) - at_origin);
        }
    const std::vector<double> found = least_squares(rows, right).solution;
    Polynomial2 result(most_x + 1, Polynomial(most_y + 1));
    for (std::size_t k = 0; k < powers.size(); ++k)
        result[static_cast<std::size_t>(powers[k].i)][static_cast<std::size_t>(powers[k].j)] =
            found[k] / (std::pow(x_half, powers[k].i) * std::pow(y_half, powers[k].j));
    result[0][0] += at_origin;
    return result;
}

Vec3 TrackPolynomial::position(double time_s) const { return of_axes(position_m, time_s); }
Vec3 TrackPolynomial::velocity(double time_s) const { return of_axes(derivative(position_m), time_s); }
Vec3 TrackPolynomial::acceleration(double time_s) const { return of_axes(derivative(derivative(position_m)), time_s); }

TrackPolynomial track_polynomial(const Orbit& orbit, double start_s, const Reach& time_s) {
    constexpr int least = 5, most = 11;
    constexpr double enough_m = 1e-4;
    TrackPolynomial track = of_degree(least, orbit, start_s, time_s);
    for (int degree = least + 1; degree <= most && track.largest_error_m > enough_m; ++degree)
        track = of_degree(degree, orbit, start_s, time_s);
    return track;
}

}  // namespace cornerturn::sicd
