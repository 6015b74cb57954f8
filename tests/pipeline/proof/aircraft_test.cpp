// SPDX-License-Identifier: Apache-2.0
// Flights of aircraft: level, swaying, in turbulence; what a file tells of them, and the echo.
#include "pipeline/proof/aircraft.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/doppler/doppler.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/exact_pixels.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/proof/simulator.h"
#include "tests/support/phasor.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

constexpr double middle_s = 3605;

Flight north_east() {
    Flight flight;
    flight.latitude_deg = 47, flight.longitude_deg = 11, flight.altitude_m = 2900;
    flight.heading_deg = 40, flight.speed_m_s = 85;
    return flight;
}

/// As the aircraft of a research campaign.
Flight swaying_flight() {
    Flight flight = north_east();
    flight.acceleration_m_s2 = -0.15;
    flight.sway = {{.across_m = 1.5, .up_m = 0.8, .frequency_hz = 0.05, .phase_deg = 40},
                   {.along_m = 0.2, .across_m = 0.05, .up_m = 0.04, .frequency_hz = 0.35, .phase_deg = 140}};
    return flight;
}

Scene aircraft_scene(const Flight& flight) {
    Scene scene;
    scene.carrier_hz = 9.6e9;
    scene.prf_hz = 200;
    scene.sample_rate_hz = 80e6;
    scene.near_range_m = 4600;
    scene.lines = 700;
    scene.samples = 500;
    scene.chirp_slope_hz_s = -30e12;
    scene.chirp_duration_s = 2e-6;
    scene.azimuth_bandwidth_hz = 110;
    scene.orbit = flight;
    scene.beam.steering = Steering::fixed;
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{350.3, 120.6}, 0.7, 40}};
    return scene;
}

TEST(Aircraft, FliesLevelAtItsSpeedAlongItsHeading) {
    for (const double heading_deg : {0.0, 40.0, 90.0, 200.0}) {
        SCOPED_TRACE(heading_deg);
        Flight flight = north_east();
        flight.heading_deg = heading_deg;
        const Trajectory track = even_track(flight, middle_s);
        const Geodetic middle = to_geodetic(track(middle_s).position_m);
        EXPECT_NEAR(middle.latitude_deg, 47, 1e-10);
        EXPECT_NEAR(middle.longitude_deg, 11, 1e-10);
        for (const double t : {-120.0, -10.0, 0.0, 60.0, 120.0}) {
            const StateVector state = track(middle_s + t);
            EXPECT_NEAR(norm(state.velocity_m_s), 85, 1e-9);
            // 20 km away; a circle hugs the ellipsoid to the third order (the curvature changes by e^2 sin 2 phi / R).
            EXPECT_NEAR(to_geodetic(state.position_m).height_m, 2900, 2e-3) << t;
        }
        const Geodetic later = to_geodetic(track(middle_s + 1).position_m);
        const double north_m = (later.latitude_deg - 47) * degree * 6.37e6,
                     east_m = (later.longitude_deg - 11) * degree * 6.39e6 * std::cos(47 * degree);
        EXPECT_NEAR(std::remainder(std::atan2(east_m, north_m) - heading_deg * degree, 2 * std::numbers::pi), 0, 0.01);
    }
}

TEST(Aircraft, SwaysAndChangesItsSpeedAsAskedFor) {
    Flight flight = swaying_flight();
    flight.side_acceleration_m_s2 = 0.02;
    const Trajectory flown = flown_track(flight, middle_s, 0), even = even_track(flight, middle_s);
    for (const double t : {-7.3, 0.0, 2.9, 12.0}) {
        SCOPED_TRACE(t);
        const StateVector state = even(middle_s + t);
        EXPECT_NEAR(norm(state.velocity_m_s), std::hypot(85 - 0.15 * t, 0.02 * t), 1e-6);
        const Vec3 forward = unit(state.velocity_m_s), up = ellipsoid_normal(state.position_m),
                   right = cross(forward, up), off = flown(middle_s + t).position_m - state.position_m;
        const auto wave = [&](const SwayWave& w) {
            return std::sin(2 * std::numbers::pi * w.frequency_hz * t + w.phase_deg * degree);
        };
        const double first = wave(flight.sway[0]), second = wave(flight.sway[1]);
        // The curve turns directions by up to 0.003 from the axes that sway has.
        EXPECT_NEAR(dot(off, forward), 0.2 * second, 0.01);
        EXPECT_NEAR(dot(off, right), 1.5 * first + 0.05 * second, 0.01);
        EXPECT_NEAR(dot(off, up), 0.8 * first + 0.04 * second, 1e-3);
        constexpr double h = 1e-3;
        const Vec3 moved = 1 / (2 * h) * (flown(middle_s + t + h).position_m - flown(middle_s + t - h).position_m);
        EXPECT_LT(norm(moved - flown(middle_s + t).velocity_m_s), 2e-6);  // 1e-9 m over 2 ms
    }
}

/// Root mean square along, across and up, over a time in which nothing repeats.
Vec3 rms_m(const std::vector<Wave>& waves) {
    Vec3 square{};
    for (const Wave& wave : waves)
        for (std::size_t axis = 0; axis < 3; ++axis)
            square[axis] += 0.5 * (wave.cosine_m[axis] * wave.cosine_m[axis] + wave.sine_m[axis] * wave.sine_m[axis]);
    return {std::sqrt(square[0]), std::sqrt(square[1]), std::sqrt(square[2])};
}

TEST(Turbulence, HasThePowerOfDrydensSpectraBehindTheAircraft) {
    // Integral over the spectrum times the square of the response by many small steps of omega, both as in the books:
    // MIL-F-8785C in rad/m, a mass on a damped spring.
    const double speed_m_s = 85, gust_m_s = 0.77, scale_m = 1750 * 0.3048;
    const double w0 = 2 * std::numbers::pi * 0.1;
    double along = 0, across = 0;
    const double step = 1e-3;
    for (double w = 0.5 * step; w < 60; w += step) {
        const double omega = w / speed_m_s, x = scale_m * omega;
        const double level = gust_m_s * gust_m_s * 2 * scale_m / std::numbers::pi / (1 + x * x) / speed_m_s;
        const double side = gust_m_s * gust_m_s * scale_m / std::numbers::pi * (1 + 3 * x * x) /
                            ((1 + x * x) * (1 + x * x)) / speed_m_s;
        const double response = 1 / ((w0 * w0 - w * w) * (w0 * w0 - w * w) + w * w * (1 + 1.4 * w0) * (1 + 1.4 * w0));
        along += level * response * step, across += side * response * step;
    }
    const Vec3 rms = rms_m(waves_of({.gust_m_s = gust_m_s}, speed_m_s, 2900));
    // A quarter of an octave each: the sum is that of a rough quadrature. Waves slower than 1 mHz are left out.
    EXPECT_NEAR(rms[0] / std::sqrt(along), 1, 0.06);
    EXPECT_NEAR(rms[1] / std::sqrt(across), 1, 0.06);
    EXPECT_NEAR(rms[2] / std::sqrt(across), 1, 0.06);
    EXPECT_GT(rms[1], 0.5);  // metres
    EXPECT_LT(rms[1], 3);
}

TEST(Turbulence, FollowsFromItsSeedAndGrowsWithItsGusts) {
    const Turbulence light{.gust_m_s = light_gust_m_s, .seed = 7};
    Turbulence severe = light, other = light;
    severe.gust_m_s = severe_gust_m_s;
    other.seed = 8;
    const auto waves = waves_of(light, 12, 120), again = waves_of(light, 12, 120);
    ASSERT_EQ(waves.size(), again.size());
    EXPECT_EQ(waves[7].cosine_m, again[7].cosine_m);
    EXPECT_NE(waves[7].cosine_m, waves_of(other, 12, 120)[7].cosine_m);
    EXPECT_NEAR(rms_m(waves_of(severe, 12, 120))[2] / rms_m(waves)[2], 3, 1e-9);
    EXPECT_TRUE(waves_of({}, 12, 120).empty());
    // Near the ground gusts along it are stronger than vertical ones, and smaller than high up.
    const Vec3 low = rms_m(waves);
    EXPECT_GT(low[1], low[2]);
    Turbulence stiff = light;
    stiff.autopilot_hz = 0.3;
    EXPECT_LT(rms_m(waves_of(stiff, 12, 120))[1], 0.5 * low[1]);
    // Nothing of it runs away: ten minutes.
    Flight flight = north_east();
    flight.turbulence = light;
    const Trajectory flown = flown_track(flight, middle_s, 0), even = even_track(flight, middle_s);
    double largest_m = 0;
    for (double t = -300; t < 300; t += 0.5)
        largest_m = std::max(largest_m, norm(flown(middle_s + t).position_m - even(middle_s + t).position_m));
    EXPECT_LT(largest_m, 12);
    EXPECT_GT(largest_m, 1);
}

TEST(AircraftScene, TheFileHoldsTheTrackAndTheAttitude) {
    Flight rough = swaying_flight();
    rough.turbulence = {.gust_m_s = moderate_gust_m_s, .seed = 3};
    for (const Flight& flight : {swaying_flight(), rough}) {
        Scene scene = aircraft_scene(flight);
        scene.beam.yaw_deg = 3;
        const SceneGeometry geometry(scene);
        const Acquisition acquisition = describe(scene);
        const Orbit& orbit = *acquisition.orbit;
        const Attitude& attitude = *acquisition.attitude;
        EXPECT_FALSE(acquisition.doppler_of_pixels_hz);
        for (double t = acquisition.first_pulse_time_s; t < acquisition.pulse_time_s(699); t += 0.0137) {
            const StateVector exact = geometry.radar().track()(t);
            EXPECT_LT(norm(interpolate(orbit, t).position_m - exact.position_m), 1e-8);
            const auto next = static_cast<std::size_t>(std::upper_bound(orbit.time_s.begin(), orbit.time_s.end(), t) -
                                                       orbit.time_s.begin());
            const double h = orbit.time_s[next] - orbit.time_s[next - 1], u = (t - orbit.time_s[next - 1]) / h;
            const Vec3 cubic = (1 + 2 * u) * (1 - u) * (1 - u) * orbit.position_m[next - 1] +
                               u * u * (3 - 2 * u) * orbit.position_m[next] +
                               h * u * (1 - u) * (1 - u) * orbit.velocity_m_s[next - 1] -
                               h * u * u * (1 - u) * orbit.velocity_m_s[next];
            EXPECT_LT(norm(cubic - exact.position_m), 2.1e-5);
        }
        // The antenna stays as the even flight has it: three degrees to the right, level, whatever the sway.
        const Trajectory even = even_track(flight, middle_s - 5 + 0.5 * 699 / 200.0);
        for (std::size_t i = 0; i < attitude.time_s.size(); ++i) {
            const StateVector state = even(attitude.time_s[i]);
            const Vec3 forward = unit(state.velocity_m_s), up = ellipsoid_normal(state.position_m),
                       axis = -1.0 * rotate(attitude.quaternions[i], {0, 1, 0});
            EXPECT_NEAR(dot(axis, forward), std::cos(3 * degree), 1e-6);
            EXPECT_NEAR(dot(axis, cross(forward, up)), std::sin(3 * degree), 1e-6);
            EXPECT_NEAR(dot(axis, up), 0, 1e-5);
        }
        // What attitude and orbit tell is what the beam does, but that it is fitted over times at which gusts change
        // it.
        EXPECT_NEAR(predicted_doppler_centroid_hz(acquisition).value(), geometry.doppler_centroid_hz(),
                    flight.turbulence.gust_m_s > 0 ? 6 : 0.5);
    }
}

/// The Earth's turning moves no aircraft against its antenna.
TEST(AircraftScene, AnAntennaFixedToALevelFlightLooksAcrossIt) {
    Flight flight = north_east();
    const SceneGeometry geometry(aircraft_scene(flight));
    const Vec3 place = geometry.place_in_beam({350, 100}, 0);
    EXPECT_NEAR(geometry.beam_centre_hz(350, place), 0, 1e-6);
    // Known by positions alone: the same.
    Scene listed = aircraft_scene(flight);
    listed.orbit = geometry.orbit();
    EXPECT_NEAR(SceneGeometry(listed).beam_centre_hz(350, place), 0, 1e-3);
    listed.beam.steering = Steering::zero_doppler;
    EXPECT_NEAR(SceneGeometry(listed).beam_centre_hz(350, place), 0, 1e-3);
}

/// A sway of 2 m at 0.3 Hz makes zero Doppler run backwards at this range (7 m/s2; 85^2 / 4800 = 1.5): places are found
/// all the same.
TEST(AircraftScene, PlacesAreFoundWhereZeroDopplerRunsBackwards) {
    Flight flight = north_east();
    flight.sway = {{.across_m = 2, .frequency_hz = 0.3, .phase_deg = 20}};
    const Scene scene = aircraft_scene(flight);
    const SceneGeometry geometry(scene);
    for (double line = 100; line < 600; line += 31) {
        const Vec3 place = geometry.place_in_beam({line, 120}, 0);
        EXPECT_NEAR(geometry.edge(line, place), 120, 1e-5);
        const LocatedTarget located = geometry.locate({BeamCentrePosition{line, 120}, 1, 0});
        EXPECT_LT(norm(located.place_m - place), 1e-6);
        EXPECT_NEAR(geometry.centre_line(place), line, 1e-3);
        EXPECT_LT(located.illuminated.first, line);
        EXPECT_GT(located.illuminated.last, line);
    }
}

TEST(AircraftScene, BackProjectionFindsTheTruthFromTheFile) {
    Flight rough = swaying_flight();
    rough.turbulence = {.gust_m_s = light_gust_m_s, .seed = 4};
    for (const Flight& flight : {swaying_flight(), rough}) {
        const Scene scene = aircraft_scene(flight);
        const Echo echo = simulate(scene);
        const PointTarget& target = echo.acquisition.truth.front();
        const RadarGeometry geometry = recorded_geometry(echo.acquisition, 0);
        const BackprojectionChip chip =
            backprojection_chip(echo.acquisition, geometry, {{target.zero_doppler_time_s, target.range_m}},
                                target.height_m, target.illuminated_band_hz.value());
        EXPECT_TRUE(fully_recorded(chip, chip.pixels[0]));
        const auto device = open_device("cpu", 2);
        Matrix matrix = device->allocate(SampleFormat::complex64, scene.lines, scene.samples);
        device->upload(echo.samples, matrix);
        const std::complex<double> expected =
            target.amplitude * phasor(-std::fmod(2 * target.range_m / scene.wavelength_m(), 1.0));
        const std::complex<double> value = device->backproject(matrix, {}, chip)[0];
        EXPECT_NEAR(std::abs(value / expected), 1, 1e-3);
        EXPECT_NEAR(std::arg(value / expected), 0, 1e-3);
    }
}

TEST(AircraftScene, RefusesFlightsThatAreNone) {
    const auto refused = [](const char* words, const std::function<void(Flight&)>& spoil) {
        Flight flight = swaying_flight();
        spoil(flight);
        expect_refused([&] { validate(aircraft_scene(flight)); }, words);
    };
    validate(aircraft_scene(swaying_flight()));
    refused("flight.speed_m_s is 0", [](Flight& f) { f.speed_m_s = 0; });
    refused("flight.speed_m_s is nan", [](Flight& f) { f.speed_m_s = NAN; });
    refused("flight.altitude_m is -5", [](Flight& f) { f.altitude_m = -5; });
    refused("flight.altitude_m is 500000", [](Flight& f) { f.altitude_m = 5e5; });
    refused("flight.latitude_deg is 90", [](Flight& f) { f.latitude_deg = 90; });
    refused("flight.heading_deg is inf", [](Flight& f) { f.heading_deg = INFINITY; });
    refused("flight.acceleration_m_s2 is -30, but over 3.495 s", [](Flight& f) { f.acceleration_m_s2 = -30; });
    refused("flight.side_acceleration_m_s2 is 40", [](Flight& f) { f.side_acceleration_m_s2 = 40; });
    refused("flight.sway[1].frequency_hz is 20", [](Flight& f) { f.sway[1].frequency_hz = 20; });
    refused("flight.sway[0].across_m is 1.5, but at 5 Hz that is 1480 m/s2",
            [](Flight& f) { f.sway[0].frequency_hz = 5; });
    refused("flight.sway[0].up_m is nan", [](Flight& f) { f.sway[0].up_m = NAN; });
    refused("flight.turbulence.gust_m_s is 11", [](Flight& f) { f.turbulence.gust_m_s = 11; });
    refused("flight.turbulence.autopilot_hz is 0", [](Flight& f) { f.turbulence.autopilot_hz = 0; });
}

}  // namespace
}  // namespace cornerturn
