// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/velocity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/errors.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

constexpr double orbit_radius_m = 7.17e6, orbit_rate_rad_s = 1.04e-3;

/// Position, velocity and acceleration of an inclined circular orbit seen from an Earth that turns at `earth_rate`.
struct Motion {
    Vec3 p, v, a;
};

Motion circular(double t, double earth_rate_rad_s) {
    const double inclination = 1.72, w = orbit_rate_rad_s, c = std::cos(w * t + 0.7), s = std::sin(w * t + 0.7);
    const Vec3 p = orbit_radius_m * Vec3{c, s * std::cos(inclination), s * std::sin(inclination)};
    const Vec3 v = orbit_radius_m * w * Vec3{-s, c * std::cos(inclination), c * std::sin(inclination)};
    const Vec3 earth{0, 0, earth_rate_rad_s};
    const auto turn = [&](const Vec3& x) {
        const double cc = std::cos(earth_rate_rad_s * t), ss = std::sin(earth_rate_rad_s * t);
        return Vec3{cc * x[0] + ss * x[1], -ss * x[0] + cc * x[1], x[2]};
    };
    const Vec3 v_rotating = v - cross(earth, p);
    const Vec3 a_rotating = -w * w * p - 2.0 * cross(earth, v) + cross(earth, cross(earth, p));
    return {turn(p), turn(v_rotating), turn(a_rotating)};
}

Acquisition satellite(double earth_rate_rad_s) {
    Acquisition acquisition;
    acquisition.lines = 4096;
    acquisition.samples = 4096;
    acquisition.first_pulse_time_s = 50;
    acquisition.prf_hz = 1256.98;
    acquisition.carrier_hz = 5.3e9;
    acquisition.near_range_m = 988e3;
    acquisition.range_spacing_m = 4.638;
    Orbit orbit;
    for (double t = 0; t <= 110; t += 10) {
        const Motion now = circular(t, earth_rate_rad_s);
        orbit.add(t, {now.p, now.v});
    }
    acquisition.orbit = orbit;
    return acquisition;
}

Acquisition straight(double velocity_m_s, const Vec3& position_m) {
    Acquisition acquisition;
    acquisition.lines = 2048;
    acquisition.samples = 2048;
    acquisition.first_pulse_time_s = 3600;
    acquisition.prf_hz = 400;
    acquisition.carrier_hz = 9.65e9;
    acquisition.near_range_m = 8000;
    acquisition.range_spacing_m = 1.4989622900000001;
    Orbit orbit;
    for (double t = 3570; t <= 3634; t += 2) {
        orbit.add(t, {position_m + Vec3{0, velocity_m_s * (t - 3600), 0}, {0, velocity_m_s, 0}});
    }
    acquisition.orbit = orbit;
    return acquisition;
}

TEST(GroundPoint, LiesOnTheEllipsoidInTheZeroDopplerPlaneOnTheLookSide) {
    const Motion now = circular(0, 7.292e-5);
    for (LookSide side : {LookSide::left, LookSide::right}) {
        const GroundPoint ground = zero_doppler_ground_point({now.p, now.v}, 990e3, side);
        const Vec3 look = ground.position_m - now.p;
        EXPECT_TRUE(ground.on_ellipsoid);
        EXPECT_NEAR(norm(look), 990e3, 1e-8 * 990e3);
        EXPECT_LT(std::abs(dot(look, unit(now.v))), 1e-6);
        const Vec3& t = ground.position_m;
        const double a = wgs84_equatorial_radius_m, b = wgs84_polar_radius_m;
        EXPECT_NEAR((t[0] * t[0] + t[1] * t[1]) / (a * a) + t[2] * t[2] / (b * b), 1.0, 1e-14);
        const double to_the_left = dot(cross(unit(now.p), unit(now.v)), look);  // up x forward
        EXPECT_GT(side == LookSide::left ? to_the_left : -to_the_left, 300e3);
    }
}

TEST(GroundPoint, IncidenceOverASphereFollowsTheLawOfSines) {
    // Over the equator along a meridian the section is a circle.
    const StateVector state{{wgs84_equatorial_radius_m + 700e3, 0, 0}, {0, 0, 7500}};
    const GroundPoint ground = zero_doppler_ground_point(state, 900e3, LookSide::right);
    const double r = wgs84_equatorial_radius_m, h = r + 700e3, range = 900e3;
    const double incidence = std::acos((h * h - r * r - range * range) / (2 * r * range));
    EXPECT_NEAR(incidence_angle_rad(state.position_m, ground.position_m), incidence, 1e-9);
}

TEST(EffectiveVelocity, OfAStraightTrackIsItsSpeed) {
    const Acquisition acquisition = straight(100, {6382937, -2744, 0});
    for (double range : {8000.0, 9500.0, 11000.0})
        for (double doppler : {0.0, 60.0, -560.0})
            EXPECT_NEAR(effective_velocity(acquisition, range, doppler, 5.0, 3602.5), 100.0, 1e-8)
                << range << ' ' << doppler;
}

TEST(EffectiveVelocity, OfACircularOrbitIsTheClosedForm) {
    for (double earth_rate : {0.0, 7.292115e-5}) {
        const Acquisition acquisition = satellite(earth_rate);
        const Motion now = circular(52, earth_rate);
        for (double range : {850e3, 990e3, 1100e3}) {
            const Vec3 target = zero_doppler_ground_point({now.p, now.v}, range, LookSide::right).position_m;
            const double half_curvature = dot(now.v, now.v) + dot(now.p - target, now.a);  // of R^2
            if (earth_rate == 0) {
                EXPECT_NEAR(half_curvature, orbit_rate_rad_s * orbit_rate_rad_s * dot(now.p, target), 1.0);  // Vs * Vg
            }
            // The quartic part of R^2 bends V by (w t)^2 / 24 within +- 0.3 s: 1e-8; the interpolated orbit adds some
            // 1e-7.
            EXPECT_NEAR(effective_velocity(acquisition, range, 0.0, 0.6, 52.0) / std::sqrt(half_curvature), 1.0, 1e-6)
                << earth_rate << ' ' << range;
        }
    }
}

TEST(EffectiveVelocity, UnderSquintPutsTheHyperbolaWhereTheLinesAre) {
    const Acquisition acquisition = satellite(7.292115e-5);
    const double doppler = -6900, range = 990e3, beam = 52.0, aperture = 0.6;
    const double velocity = effective_velocity(acquisition, range, doppler, aperture, beam);
    const double offset = beam_time_offset_s(range, doppler, velocity, acquisition.wavelength_m());
    ASSERT_GT(offset, 3.5);  // 3.9 s for these numbers
    const Motion at_zero_doppler = circular(beam - offset, 7.292115e-5);
    const Vec3 target =
        zero_doppler_ground_point({at_zero_doppler.p, at_zero_doppler.v}, range, LookSide::right).position_m;
    const auto error_m = [&](double t) {
        const double hyperbola = std::hypot(range, velocity * (t - beam + offset));
        return norm(circular(t, 7.292115e-5).p - target) - hyperbola;
    };
    // What is left is cubic in R^2 (Earth rotation and flattening): its bend over the aperture is 0.03 rad of phase,
    // pi/4 would blur.
    EXPECT_LT(std::abs(error_m(beam)), 2e-3);
    EXPECT_LT(std::abs(error_m(beam - aperture / 2) - 2 * error_m(beam) + error_m(beam + aperture / 2)),
              5e-3 * acquisition.wavelength_m());
}

TEST(EffectiveVelocity, ProfileOverTheSwathIsThatOfEachRange) {
    const Acquisition acquisition = satellite(7.292115e-5);
    const VelocityProfile profile = orbit_velocity(acquisition, -6900);
    const double middle = acquisition.pulse_time_s(0.5 * static_cast<double>(acquisition.lines - 1));
    for (double sample : {0.0, 777.0, 2048.0, 3999.5})
        EXPECT_NEAR(profile(acquisition.range_m(sample)),
                    effective_velocity(acquisition, acquisition.range_m(sample), -6900, 0.6, middle), 1e-3)
            << sample;
    EXPECT_GT(std::abs(profile(acquisition.range_m(0)) - profile(acquisition.range_m(4095))), 1.0);  // it does vary
}

TEST(EffectiveVelocity, IsANumberWhereTheRangeMissesTheGround) {
    for (const Vec3& position :
         {Vec3{6378137 + 50e3, 0, 0}, Vec3{0, 0, 0}, Vec3{1e9, 0, 0}, Vec3{6378137 - 100, 0, 0}, Vec3{0, 1000, 5000}})
        EXPECT_NEAR(orbit_velocity(straight(100, position), 0.0)(9000), 100.0, 1e-5)
            << position[0];  // at 1e9 m a rounding is 1e-7 m
    Acquisition low = satellite(0);
    low.near_range_m = 600e3;  // below the orbit's height of 790 km
    EXPECT_TRUE(std::isfinite(orbit_velocity(low, 0.0)(700e3)));
}

TEST(VelocityChoice, OptionBeforeOrbitBeforeFile) {
    Acquisition acquisition = straight(100, {6382937, -2744, 0});
    acquisition.effective_velocity_m_s = 99;
    EXPECT_EQ(choose_velocity(acquisition, 60, 101.0).profile(9000), 101);
    EXPECT_EQ(choose_velocity(acquisition, 60, 101.0).source, "option");
    EXPECT_NEAR(choose_velocity(acquisition, 60, {}).profile(9000), 100, 1e-8);
    EXPECT_EQ(choose_velocity(acquisition, 60, {}).source, "orbit");
    acquisition.orbit.reset();
    EXPECT_EQ(choose_velocity(acquisition, 60, {}).profile(9000), 99);
    EXPECT_EQ(choose_velocity(acquisition, 60, {}).source, "file");
    acquisition.effective_velocity_m_s.reset();
    EXPECT_THROW(choose_velocity(acquisition, 60, {}), InputError);
}

TEST(VelocityChoice, AnOrbitOfAnotherTimeIsRefusedOrPassedOver) {
    Acquisition acquisition = straight(100, {6382937, -2744, 0});
    acquisition.first_pulse_time_s = 4000;
    EXPECT_THROW(choose_velocity(acquisition, 60, {}), InputError);
    acquisition.effective_velocity_m_s = 99;
    EXPECT_EQ(choose_velocity(acquisition, 60, {}).profile(9000), 99);
    EXPECT_EQ(choose_velocity(acquisition, 60, {}).source.substr(0, 6), "file (");
}

TEST(VelocityChoice, AnOrbitThatIsAskedForHasNothingInItsPlace) {
    Acquisition acquisition = straight(100, {6382937, -2744, 0});
    acquisition.effective_velocity_m_s = 99;
    const auto choose = [&] { return choose_velocity(acquisition, 60, {}, ParameterSource::orbit); };
    EXPECT_NEAR(choose().profile(9000), 100, 1e-8);
    EXPECT_EQ(choose().source, "orbit");
    acquisition.first_pulse_time_s = 4000;
    EXPECT_THROW(choose(), InputError);
    acquisition.orbit.reset();
    EXPECT_THROW(choose(), InputError);
}

TEST(VelocityChoice, ImpossibleNumbersAreRefused) {
    Acquisition acquisition = straight(100, {6382937, -2744, 0});
    EXPECT_THROW(choose_velocity(acquisition, 1e9, {}), InputError);
    EXPECT_THROW(choose_velocity(acquisition, 60, -5.0), InputError);
    EXPECT_THROW(choose_velocity(acquisition, 60, 0.0), InputError);
    EXPECT_THROW(choose_velocity(acquisition, 60, std::nan("")), InputError);
    EXPECT_THROW(choose_velocity(acquisition, std::nan(""), 100.0), InputError);
    EXPECT_THROW(choose_velocity(acquisition, 3260.0, 100.0), InputError);  // 30.4 deg
    EXPECT_NO_THROW(choose_velocity(acquisition, 3180.0, 100.0));           // 29.6 deg
}

TEST(WidestBand, LiesWithinTheLargestSquintWhereThePlatformIsSlowest) {
    Acquisition acquisition = straight(100, {6382937, -2744, 0});
    acquisition.prf_hz = 1e4;
    const double hz_per_m_s = 2 / acquisition.wavelength_m() * largest_squint_sine,
                 middle_m = acquisition.range_m(0.4 * 4096);
    const VelocityProfile steady(10);
    EXPECT_DOUBLE_EQ(widest_azimuth_band_hz(acquisition, 0, steady), 2 * 10 * hz_per_m_s);
    EXPECT_DOUBLE_EQ(widest_azimuth_band_hz(acquisition, -50, steady), 2 * (10 * hz_per_m_s - 50));
    EXPECT_LT(widest_azimuth_band_hz(acquisition, 400, steady), 0);
    const VelocityProfile bent(acquisition.range_m(0) / 2, acquisition.range_m(4096), 4,
                               [&](double range_m) { return 10 + 1e-6 * (range_m - middle_m) * (range_m - middle_m); });
    EXPECT_NEAR(widest_azimuth_band_hz(acquisition, 0, bent), 2 * 10 * hz_per_m_s, 1e-3 * 20 * hz_per_m_s);
    acquisition.prf_hz = 300;
    EXPECT_EQ(widest_azimuth_band_hz(acquisition, 0, steady), 300);
}

TEST(Velocity, RefusesPositionsThatDoNotMoveAsTheVelocitiesSay) {
    Acquisition acquisition = satellite(0);
    acquisition.orbit->velocity_m_s[5] = 1.05 * acquisition.orbit->velocity_m_s[5];
    EXPECT_THROW(choose_velocity(acquisition, 0, std::nullopt), InputError);
    EXPECT_NO_THROW(choose_velocity(acquisition, 0, 7100.0));
}

}  // namespace
}  // namespace cornerturn
