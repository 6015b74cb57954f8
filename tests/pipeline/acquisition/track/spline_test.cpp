// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/spline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

/// Between k and k + 1 by a part that changes, as of clocks that jitter.
std::vector<double> uneven_times_s(int count, double step_s) {
    std::vector<double> times_s;
    for (int i = 0; i < count; ++i) times_s.push_back(3600 + step_s * (i + 0.3 * std::sin(7.0 * i)));
    return times_s;
}

/// Powers of (t - 3600) / 10.
Vec3 polynomial(double time_s, int degree) {
    const double x = (time_s - 3600) / 10;
    return {6.4e6 + std::pow(x, degree), x, 1 - x * x};
}

TEST(Spline, HoldsPolynomialsOfFifthDegreeOrOfAsManyCoefficientsAsItHas) {
    for (const int count : {2, 3, 4, 5, 6, 7, 40}) {
        SCOPED_TRACE(count);
        const int degree = std::min(5, count - 1);
        const std::vector<double> times_s = uneven_times_s(count, 0.5);
        std::vector<Vec3> positions_m;
        for (const double time_s : times_s) {
            positions_m.push_back(polynomial(time_s, degree));
            if (degree < 2) positions_m.back()[2] = 0;
        }
        const QuinticSpline spline(times_s, positions_m);
        for (double time_s = times_s.front(); time_s <= times_s.back(); time_s += 0.037) {
            const StateVector state = spline.at(time_s);
            const Vec3 expected = polynomial(time_s, degree);
            EXPECT_NEAR(state.position_m[0], expected[0], 1e-8) << time_s;  // some roundings of 6.4e6 m
            EXPECT_NEAR(state.position_m[1], expected[1], 1e-12) << time_s;
            EXPECT_NEAR(state.velocity_m_s[1], 0.1, 1e-11) << time_s;
            EXPECT_NEAR(state.velocity_m_s[2], degree < 2 ? 0.0 : -0.2 * expected[1], 1e-11) << time_s;
        }
    }
}

TEST(Spline, GoesThroughItsPositionsSmoothly) {
    const std::vector<double> times_s = uneven_times_s(50, 0.1);
    std::vector<Vec3> positions_m;
    for (std::size_t i = 0; i < times_s.size(); ++i)  // noise, the roughest there is
        positions_m.push_back({std::sin(12345.0 * static_cast<double>(i * i)), 0, 0});
    const QuinticSpline spline(times_s, positions_m);
    const auto slope = [&](double time_s) { return spline.at(time_s).velocity_m_s[0]; };
    for (std::size_t i = 5; i + 5 < times_s.size(); ++i) {
        EXPECT_NEAR(spline.at(times_s[i]).position_m[0], positions_m[i][0], 1e-12);
        constexpr double h = 1e-5;
        const double below = (slope(times_s[i] - h) - slope(times_s[i] - 2 * h)) / h,
                     above = (slope(times_s[i] + 2 * h) - slope(times_s[i] + h)) / h;
        EXPECT_NEAR(below, above, 1) << i;  // of some hundred m/s^2 that change by 1e4 m/s^3
    }
}

/// A sway of A at w is missed by A (w h)^6 times less than 1e-4, its velocity by A w (w h)^6 times some 1e-3.
TEST(Spline, MissesAnAircraftsSwayByMicrometres) {
    constexpr double amplitude_m = 0.05, rad_s = 2 * std::numbers::pi * 0.35, step_s = 0.25;
    std::vector<double> times_s;
    std::vector<Vec3> positions_m;
    for (int i = 0; i < 120; ++i) {
        times_s.push_back(step_s * i);
        positions_m.push_back({amplitude_m * std::sin(rad_s * times_s.back()), 85 * times_s.back(), 6.4e6});
    }
    const QuinticSpline spline(times_s, positions_m);
    double off_m = 0, off_m_s = 0;
    for (double time_s = 2; time_s < 28; time_s += 0.01) {
        const StateVector state = spline.at(time_s);
        off_m = std::max(off_m, std::abs(state.position_m[0] - amplitude_m * std::sin(rad_s * time_s)));
        off_m_s = std::max(off_m_s, std::abs(state.velocity_m_s[0] - amplitude_m * rad_s * std::cos(rad_s * time_s)));
    }
    EXPECT_LT(off_m, 5e-7);
    EXPECT_LT(off_m_s, 5e-6);
}

}  // namespace
}  // namespace cornerturn
