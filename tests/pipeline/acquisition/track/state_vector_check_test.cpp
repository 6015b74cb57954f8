// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/state_vector_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/acquisition/geometry.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// A circular orbit as the turning Earth sees it, with state vectors so many seconds apart.
Acquisition over_the_turning_earth(double step_s) {
    constexpr double radius_m = 7.0e6, rate_rad_s = 1.078e-3, earth_rad_s = 7.29e-5, inclination_rad = 1.7;
    const auto place = [&](double t) {
        const double along = rate_rad_s * t + 0.6, turned = -earth_rad_s * t;
        const Vec3 p{radius_m * std::cos(along), radius_m * std::sin(along) * std::cos(inclination_rad),
                     radius_m * std::sin(along) * std::sin(inclination_rad)};
        return Vec3{std::cos(turned) * p[0] - std::sin(turned) * p[1],
                    std::sin(turned) * p[0] + std::cos(turned) * p[1], p[2]};
    };
    Acquisition acquisition;
    acquisition.lines = 2000;
    acquisition.samples = 2000;
    acquisition.prf_hz = 2000;
    acquisition.carrier_hz = 9.65e9;
    acquisition.near_range_m = 700e3;
    acquisition.range_spacing_m = 2;
    acquisition.azimuth_bandwidth_hz = 1500;
    acquisition.orbit.emplace();
    for (double t = -4 * step_s; t <= 6 * step_s; t += step_s) {
        constexpr double h = 0.5;  // of differences to the eighth power: 1e-9 m/s
        const Vec3 velocity = 1 / (60 * h) *
                              (45.0 * (place(t + h) - place(t - h)) - 9.0 * (place(t + 2 * h) - place(t - 2 * h)) +
                               (place(t + 3 * h) - place(t - 3 * h)));
        acquisition.orbit->add(t, {place(t), velocity});
    }
    return acquisition;
}

TEST(StateVectorCheck, OrbitsAreSmooth) {
    for (const double step_s : {1.0, 10.0, 60.0}) {
        const Acquisition acquisition = over_the_turning_earth(step_s);
        EXPECT_NO_THROW(require_consistent(*acquisition.orbit)) << step_s;
        EXPECT_EQ(doubt_about_orbit(acquisition), std::nullopt) << step_s;
    }
}

TEST(StateVectorCheck, VelocitiesRoundedToMillimetresDoNoHarm) {
    Acquisition acquisition = over_the_turning_earth(10);
    for (Vec3& velocity : acquisition.orbit->velocity_m_s)
        for (double& part : velocity) part = 1e-3 * std::round(1e3 * part);
    EXPECT_EQ(doubt_about_orbit(acquisition), std::nullopt);
}

TEST(StateVectorCheck, APositionOffItsNeighboursIsNamed) {
    Acquisition acquisition = over_the_turning_earth(10);
    acquisition.orbit->position_m[4][1] += 30;
    EXPECT_NO_THROW(require_consistent(*acquisition.orbit)) << "less than 1 %";
    const std::string doubt = doubt_about_orbit(acquisition).value_or("none");
    expect_in(doubt, "orbit: the state vector at 0.000 s lies 30 m off the curve");
}

TEST(StateVectorCheck, VelocitiesThatAreAPartOffAreFound) {
    Acquisition acquisition = over_the_turning_earth(5);
    for (Vec3& velocity : acquisition.orbit->velocity_m_s) velocity = 1.005 * velocity;
    EXPECT_NO_THROW(require_consistent(*acquisition.orbit)) << "less than 1 %";
    EXPECT_TRUE(doubt_about_orbit(acquisition).has_value());
}

TEST(StateVectorCheck, AnOrbitIsFollowedForALittleBeyondItsVectors) {
    const Orbit orbit = *over_the_turning_earth(10).orbit;  // from -40 to 60 s
    for (const double time_s : {-55.0, -40.0, 0.0, 60.0, 75.0}) EXPECT_TRUE(is_followed(orbit, time_s)) << time_s;
    for (const double time_s : {-55.1, 75.1, 1e9, std::nan("")}) EXPECT_FALSE(is_followed(orbit, time_s)) << time_s;
}

/// What is constant along an aperture moves points by as much as the orbit is wrong, but does not blur them.
TEST(StateVectorCheck, NoiseOfVectorsFarApartDoesNoHarm) {
    Acquisition acquisition = over_the_turning_earth(60);
    for (std::size_t i = 0; i < acquisition.orbit->time_s.size(); ++i)
        acquisition.orbit->position_m[i][0] += i % 2 == 0 ? 0.02 : -0.02;
    EXPECT_EQ(doubt_about_orbit(acquisition), std::nullopt);
}

TEST(StateVectorCheck, FarPositionsAndAircraftAreNotJudged) {
    Acquisition acquisition = over_the_turning_earth(10);
    acquisition.orbit->position_m.back()[1] += 1e5;
    EXPECT_EQ(doubt_about_orbit(acquisition), std::nullopt) << "60 s from the pulses";
    acquisition = over_the_turning_earth(10);
    acquisition.orbit->position_m[4][1] += 30;
    for (Vec3& velocity : acquisition.orbit->velocity_m_s) velocity = 0.01 * velocity;
    EXPECT_EQ(doubt_about_orbit(acquisition), std::nullopt);
}

TEST(StateVectorCheck, VelocitiesInKilometresAreRefused) {
    Acquisition acquisition = over_the_turning_earth(10);
    for (Vec3& velocity : acquisition.orbit->velocity_m_s) velocity = 1e-3 * velocity;
    EXPECT_THROW(require_consistent(*acquisition.orbit), InputError);
}

}  // namespace
}  // namespace cornerturn
