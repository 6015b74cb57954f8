// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/orbit.h"

#include <gtest/gtest.h>

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
        orbit.time_s.push_back(first_s + i * spacing_s);
        orbit.position_m.push_back(state.position_m);
        orbit.velocity_m_s.push_back(state.velocity_m_s);
    }
    return orbit;
}

TEST(Orbit, ReproducesCubicsExactly) {
    const auto position = [](double t) { return Vec3{6.4e6 + 3.0 * t - 0.5 * t * t + 0.01 * t * t * t, 100.0 * t, -0.02 * t * t * t}; };
    const auto velocity = [](double t) { return Vec3{3.0 - t + 0.03 * t * t, 100.0, -0.06 * t * t}; };
    Orbit orbit;
    for (double t : {0.0, 2.0, 5.0, 9.0}) {
        orbit.time_s.push_back(t);
        orbit.position_m.push_back(position(t));
        orbit.velocity_m_s.push_back(velocity(t));
    }
    for (double t : {-3.0, 0.0, 0.7, 2.0, 4.9, 8.5, 9.0, 14.0}) {
        const StateVector state = interpolate(orbit, t);
        EXPECT_LT(norm(state.position_m - position(t)), 2e-8) << t;  // a few roundings of 6.4e6 m
        EXPECT_LT(norm(state.velocity_m_s - velocity(t)), 2e-9) << t;
    }
}

TEST(Orbit, FollowsASatelliteBetweenAndBeyondItsStateVectors) {
    const Orbit orbit = circle(100, 10, 6);
    for (double t = 100; t <= 150; t += 0.37) {
        // The cubic leaves a fourth derivative r w^4 by at most r w^4 h^4 / 384: 0.23 mm for 10 s.
        EXPECT_LT(norm(interpolate(orbit, t).position_m - on_circle(t).position_m), 2.5e-4) << t;
        EXPECT_LT(norm(interpolate(orbit, t).velocity_m_s - on_circle(t).velocity_m_s), 1e-4) << t;
    }
    for (double t : {95.0, 155.0})  // r w^4 / 24 * 5^2 * 15^2 = 2.1 mm
        EXPECT_LT(norm(interpolate(orbit, t).position_m - on_circle(t).position_m), 2.5e-3) << t;
}

TEST(Orbit, DenseStateVectorsExtrapolateWithoutBlowingUpTheirNoise) {
    Orbit orbit = circle(0, 0.1, 201);
    for (std::size_t i = 0; i < orbit.position_m.size(); ++i) orbit.position_m[i][0] += i % 2 ? 0.01 : -0.01;
    // 1 cm of noise over a base of 10 s becomes at most some centimetres 4 s further on; over the last 0.1 s it would become kilometres.
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
