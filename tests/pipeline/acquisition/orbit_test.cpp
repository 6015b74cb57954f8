// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/orbit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

constexpr double radius_m = 7.1e6, rate_rad_s = 1.06e-3;  // a remote sensing satellite

StateVector on_circle(double t) {
    const double c = std::cos(rate_rad_s * t), s = std::sin(rate_rad_s * t);
    return {{radius_m * c, 0.6 * radius_m * s, 0.8 * radius_m * s},
            {-radius_m * rate_rad_s * s, 0.6 * radius_m * rate_rad_s * c, 0.8 * radius_m * rate_rad_s * c}};
}

Orbit circle(double first_s, double spacing_s, int count) {
    Orbit orbit;
    for (int i = 0; i < count; ++i) {
        const StateVector state = on_circle(first_s + i * spacing_s);
        orbit.add(first_s + i * spacing_s, state);
    }
    return orbit;
}

struct Monomials {
    int degree;
    double at(double t) const { return 3.0 + t - 0.02 * std::pow(t, degree); }
    double slope(double t) const { return 1.0 - 0.02 * degree * std::pow(t, degree - 1); }
};

/// A list of n state vectors holds polynomials of 2 n - 1st degree, up to the seventh.
TEST(Orbit, ReproducesPolynomialsOfAsManyCoefficientsAsItHas) {
    const std::vector<double> times{0.0, 2.0, 5.0, 9.0, 12.0};
    for (const int vectors : {2, 3, 4, 5}) {
        const Monomials polynomial{std::min(2 * vectors - 1, 7)};
        Orbit orbit;
        for (int i = 0; i < vectors; ++i) {
            orbit.time_s.push_back(times[static_cast<std::size_t>(i)]);
            const double t = 0.1 * orbit.time_s.back();
            orbit.position_m.push_back({6.4e6 + polynomial.at(t), polynomial.at(t), 1.0});
            orbit.velocity_m_s.push_back({0.1 * polynomial.slope(t), 0.1 * polynomial.slope(t), 0.0});
        }
        for (double t = 0; t <= orbit.time_s.back(); t += 0.3) {
            const StateVector state = interpolate(orbit, t);
            EXPECT_NEAR(state.position_m[0], 6.4e6 + polynomial.at(0.1 * t), 2e-8) << t;  // a few roundings of 6.4e6 m
            EXPECT_NEAR(state.position_m[1], polynomial.at(0.1 * t), 1e-13) << t;
            EXPECT_NEAR(state.velocity_m_s[1], 0.1 * polynomial.slope(0.1 * t), 1e-13) << t;
            EXPECT_EQ(state.position_m[2], 1.0);
        }
    }
}

TEST(Orbit, ReproducesCubicsBeyondItsStateVectors) {
    const auto position = [](double t) {
        return Vec3{6.4e6 + 3.0 * t - 0.5 * t * t + 0.01 * t * t * t, 100.0 * t, -0.02 * t * t * t};
    };
    const auto velocity = [](double t) { return Vec3{3.0 - t + 0.03 * t * t, 100.0, -0.06 * t * t}; };
    Orbit orbit;
    for (double t : {0.0, 2.0, 5.0, 9.0}) {
        orbit.add(t, {position(t), velocity(t)});
    }
    for (double t : {-3.0, 0.0, 0.7, 2.0, 4.9, 8.5, 9.0, 14.0}) {
        const StateVector state = interpolate(orbit, t);
        EXPECT_LT(norm(state.position_m - position(t)), 2e-8) << t;
        EXPECT_LT(norm(state.velocity_m_s - velocity(t)), 5e-9) << t;
    }
}

TEST(Orbit, FollowsASatelliteBetweenAndBeyondItsStateVectors) {
    const Orbit orbit = circle(100, 10, 6);
    for (double t = 100; t <= 150; t += 0.37) {
        // Four vectors leave an eighth derivative r w^8 by r w^8 / 8! (t - t0)^2 ... (t - t3)^2, 1e-12 m; what remains
        // is rounding.
        EXPECT_LT(norm(interpolate(orbit, t).position_m - on_circle(t).position_m), 2e-8) << t;
        EXPECT_LT(norm(interpolate(orbit, t).velocity_m_s - on_circle(t).velocity_m_s), 1e-8) << t;
    }
    for (double t : {90.0, 95.0, 155.0, 160.0})
        EXPECT_LT(norm(interpolate(orbit, t).position_m - on_circle(t).position_m), 1e-6) << t;
    const Orbit sparse = circle(100, 60, 6);  // as many products carry them
    for (double t = 100; t <= 400; t += 3.7)
        EXPECT_LT(norm(interpolate(sparse, t).position_m - on_circle(t).position_m), 1e-5) << t;
}

TEST(Orbit, DenseStateVectorsExtrapolateWithoutBlowingUpTheirNoise) {
    Orbit orbit = circle(0, 0.1, 201);
    for (std::size_t i = 0; i < orbit.position_m.size(); ++i) orbit.position_m[i][0] += i % 2 ? 0.01 : -0.01;
    // 1 cm of noise over a base of 10 s becomes at most some centimetres 4 s further on; over the last 0.1 s it would
    // become kilometres.
    EXPECT_LT(norm(interpolate(orbit, 24.0).position_m - on_circle(24.0).position_m), 0.1);
}

TEST(Orbit, TellsHowFarATimeLiesOutside) {
    const Orbit orbit = circle(100, 10, 6);
    EXPECT_EQ(seconds_outside(orbit, 97), 3);
    EXPECT_EQ(seconds_outside(orbit, 120), 0);
    EXPECT_EQ(seconds_outside(orbit, 152.5), 2.5);
}

}  // namespace
}  // namespace cornerturn
