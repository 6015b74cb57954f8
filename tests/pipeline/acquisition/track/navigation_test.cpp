// SPDX-License-Identifier: Apache-2.0
// Tracks by a navigation unit: frames, lever arms, times and attitude against closed forms.
#include "pipeline/acquisition/track/navigation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/doppler/doppler.h"
#include "pipeline/acquisition/geometry.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

constexpr double speed_m_s = 85, height_m = 2900, pulses_s = 12.8, first_pulse_s = 3600;
const Geographic start{.longitude_deg = 11.3, .latitude_deg = 47.6, .height_m = height_m};

/// East, north, up from the start: northwards and to the east of it, swaying.
Vec3 flown(double time_s) {
    const double t = time_s - first_pulse_s, turn = 2 * std::numbers::pi * t;
    return {0.3 * speed_m_s * t + 1.5 * std::sin(0.04 * turn) + 0.05 * std::sin(0.35 * turn),
            0.95 * speed_m_s * t - 0.075 * t * t, 0.8 * std::sin(0.05 * turn)};
}

Vec3 in_ecef(const Vec3& east_north_up) {
    const LocalFrame frame = local_frame(start);
    return point_of(start) + east_north_up[0] * frame.east + east_north_up[1] * frame.north +
           east_north_up[2] * frame.up;
}

/// Some seconds more than the pulses, in ECEF.
NavigationTrack track_of(double step_s, double jitter = 0) {
    NavigationTrack track{.name = "nav.csv"};
    for (int i = -20; first_pulse_s + step_s * i < first_pulse_s + pulses_s + 21 * step_s; ++i) {
        track.time_s.push_back(first_pulse_s + step_s * (i + jitter * std::sin(7.0 * i)));
        track.position.push_back(in_ecef(flown(track.time_s.back())));
    }
    return track;
}

AntennaTrack antenna(const NavigationTrack& track, const TrackPlacement& placement = {},
                     std::vector<std::string>* remarks = nullptr) {
    std::vector<std::string> unheard;
    return antenna_track(track, placement, first_pulse_s, first_pulse_s + pulses_s, remarks ? *remarks : unheard);
}

double largest_error_m(const Orbit& orbit, const std::function<Vec3(double)>& expected_m) {
    double largest_m = 0;
    for (double time_s = first_pulse_s; time_s <= first_pulse_s + pulses_s; time_s += 0.0031)
        largest_m = std::max(largest_m, norm(interpolate(orbit, time_s).position_m - expected_m(time_s)));
    return largest_m;
}

Vec3 flown_in_ecef(double time_s) { return in_ecef(flown(time_s)); }

/// Doubles hold 1 nm of ECEF coordinates.
TEST(Navigation, HoldsMicrometresBetweenPositionsDenserOrSparserThanPulses) {
    EXPECT_LT(largest_error_m(antenna(track_of(0.25)).orbit, flown_in_ecef), 2e-6);
    EXPECT_LT(largest_error_m(antenna(track_of(0.05)).orbit, flown_in_ecef), 5e-9);
    EXPECT_LT(largest_error_m(antenna(track_of(0.001)).orbit, flown_in_ecef), 5e-9);
}

TEST(Navigation, MakesEqualStepsOfThoseOfAClockThatJitters) {
    const Orbit orbit = antenna(track_of(0.05, 0.2)).orbit;
    const double step_s = orbit.time_s[1] - orbit.time_s[0];
    for (std::size_t i = 1; i < orbit.time_s.size(); ++i)
        EXPECT_NEAR(orbit.time_s[i] - orbit.time_s[i - 1], step_s, 1e-11);
    EXPECT_LT(largest_error_m(orbit, flown_in_ecef), 1e-8);
}

TEST(Navigation, IsTheSameInEveryFrame) {
    const NavigationTrack earth_fixed = track_of(0.1);
    NavigationTrack degrees = earth_fixed, local = earth_fixed;
    degrees.frame = TrackFrame::geographic;
    local.frame = TrackFrame::local;
    for (std::size_t i = 0; i < earth_fixed.position.size(); ++i) {
        const Geographic place = geographic(earth_fixed.position[i]);
        degrees.position[i] = {place.latitude_deg, place.longitude_deg, place.height_m};
        local.position[i] = flown(local.time_s[i]);
    }
    EXPECT_LT(largest_error_m(antenna(degrees).orbit, flown_in_ecef), 2e-8);
    EXPECT_LT(largest_error_m(antenna(local, {.origin = start}).orbit, flown_in_ecef), 1e-8);
    const AntennaTrack of_scene = antenna(local);
    EXPECT_TRUE(of_scene.local);
    EXPECT_LT(largest_error_m(of_scene.orbit, flown), 1e-8);
}

TEST(Navigation, TakesVelocitiesThatFitItsPositions) {
    NavigationTrack track = track_of(0.5);
    track.frame = TrackFrame::geographic;
    for (std::size_t i = 0; i < track.position.size(); ++i) {
        constexpr double h = 1e-3;
        const double time_s = track.time_s[i];
        const Geographic place = geographic(track.position[i]);
        const Vec3 velocity_m_s = 1 / (2 * h) * (in_ecef(flown(time_s + h)) - in_ecef(flown(time_s - h)));
        const LocalFrame level = local_frame(place);
        track.position[i] = {place.latitude_deg, place.longitude_deg, place.height_m};
        track.velocity_m_s.push_back(
            {dot(velocity_m_s, level.east), dot(velocity_m_s, level.north), dot(velocity_m_s, level.up)});
    }
    EXPECT_LT(largest_error_m(antenna(track).orbit, flown_in_ecef), 2e-6);
    for (Vec3& velocity_m_s : track.velocity_m_s) velocity_m_s = 1.944 * velocity_m_s;  // knots
    EXPECT_THROW(antenna(track), InputError);
}

TEST(Navigation, MovesTimesByTheOffset) {
    NavigationTrack track = track_of(0.1);
    for (double& time_s : track.time_s) time_s += 18;
    EXPECT_THROW(antenna(track), InputError);
    EXPECT_LT(largest_error_m(antenna(track, {.time_offset_s = -18}).orbit, flown_in_ecef), 1e-8);
}

/// Heading 17.5 degrees, slowly turning, with the nose up and the right wing down.
Vec3 roll_pitch_yaw_deg(double time_s) {
    const double t = time_s - first_pulse_s;
    return {3 + 2 * std::sin(t), 1 + 0.5 * std::sin(0.7 * t), 17.5 + std::sin(0.5 * t)};
}

/// The body's axes, written out (Stevens & Lewis, section 1.4).
Vec3 body_in_ecef(const Vec3& body, double time_s) {
    const auto [roll, pitch, yaw] = roll_pitch_yaw_deg(time_s);
    const double cr = std::cos(roll * degree), sr = std::sin(roll * degree), cp = std::cos(pitch * degree),
                 sp = std::sin(pitch * degree), cy = std::cos(yaw * degree), sy = std::sin(yaw * degree);
    const double north = cp * cy * body[0] + (sr * sp * cy - cr * sy) * body[1] + (cr * sp * cy + sr * sy) * body[2];
    const double east = cp * sy * body[0] + (sr * sp * sy + cr * cy) * body[1] + (cr * sp * sy - sr * cy) * body[2];
    const double down = -sp * body[0] + sr * cp * body[1] + cr * cp * body[2];
    const LocalFrame level = local_frame(geographic(flown_in_ecef(time_s)));
    return north * level.north + east * level.east - down * level.up;
}

TEST(Navigation, PutsTheAntennaAtTheEndOfItsLeverArm) {
    const Vec3 arm_m{1.2, -0.7, 0.4};
    const auto expected_m = [&](double time_s) { return flown_in_ecef(time_s) + body_in_ecef(arm_m, time_s); };
    NavigationTrack track = track_of(0.1);
    for (const double time_s : track.time_s) track.roll_pitch_yaw_deg.push_back(roll_pitch_yaw_deg(time_s));
    EXPECT_LT(largest_error_m(antenna(track, {.lever_arm_m = arm_m}).orbit, expected_m), 1e-7);

    NavigationTrack quaternions = track_of(0.1);
    quaternions.quaternions = antenna(track).body->quaternions;
    EXPECT_LT(largest_error_m(antenna(quaternions, {.lever_arm_m = arm_m}).orbit, expected_m), 1e-7);

    for (const double time_s : track.time_s) {  // those of the unit, not of the antenna
        constexpr double h = 1e-3;
        track.velocity_m_s.push_back(1 / (2 * h) * (flown_in_ecef(time_s + h) - flown_in_ecef(time_s - h)));
    }
    EXPECT_LT(largest_error_m(antenna(track, {.lever_arm_m = arm_m}).orbit, expected_m), 1e-7);
    EXPECT_THROW(antenna(track_of(0.1), {.lever_arm_m = arm_m}), InputError);
}

Acquisition echo() {
    Acquisition echo;
    echo.lines = 5120;
    echo.samples = 900;
    echo.prf_hz = 400;
    echo.first_pulse_time_s = first_pulse_s;
    echo.carrier_hz = 9.6e9;
    echo.near_range_m = 4600;
    echo.range_spacing_m = speed_of_light_m_s / 2 / 80e6;
    echo.chirp = {.slope_hz_s = 1.5e13, .duration_s = 1e-6};
    return echo;
}

/// The nose a degree to the right of a flight to the north: the beam, to the right of it, looks back, by that angle's
/// sine times that of the angle between nadir and look.
TEST(Navigation, TellsTheDopplerCentroidByItsYaw) {
    NavigationTrack track{.name = "nav.csv", .frame = TrackFrame::geographic};
    for (int i = -20; i < 160; ++i) {
        track.time_s.push_back(first_pulse_s + 0.1 * i);
        track.position.push_back({speed_m_s * 0.1 * i / 111e3, 5, height_m});
        track.roll_pitch_yaw_deg.push_back({2, 0, 1});
    }
    std::vector<std::string> remarks;
    for (const LookSide side : {LookSide::right, LookSide::left}) {
        Acquisition recorded = echo();
        recorded.identification.look_side = side;
        const Acquisition along = along_track(recorded, track, {}, 0, remarks);
        const auto doppler_hz = predicted_doppler(along);
        ASSERT_TRUE(doppler_hz);
        const double range_m = 5200, speed = norm(interpolate(*along.orbit, first_pulse_s).velocity_m_s);
        const double sine = std::sqrt(1 - std::pow(height_m / range_m, 2));
        const double expected_hz = 2 * speed / along.wavelength_m() * std::sin(1 * degree) * sine;
        EXPECT_NEAR((*doppler_hz)(first_pulse_s + 6, range_m), side == LookSide::right ? -expected_hz : expected_hz,
                    0.01 * expected_hz);
    }
    EXPECT_TRUE(remarks.empty()) << remarks.front();
}

TEST(Navigation, KeepsTheAttitudeOfTheEchoWhereItHasNone) {
    Acquisition recorded = echo();
    recorded.attitude = Attitude{{0, 1}, {{1, 0, 0, 0}, {1, 0, 0, 0}}};
    std::vector<std::string> remarks;
    const Acquisition along = along_track(recorded, track_of(0.1), {}, 0, remarks);
    EXPECT_EQ(along.attitude, recorded.attitude);
    EXPECT_FALSE(along.local_track);
    NavigationTrack local = track_of(0.1);
    local.frame = TrackFrame::local;
    const Acquisition of_scene = along_track(recorded, local, {}, 0, remarks);
    EXPECT_TRUE(of_scene.local_track);
    EXPECT_FALSE(of_scene.orbit);
    EXPECT_FALSE(of_scene.attitude);
}

void expect_refused(const NavigationTrack& track, const TrackPlacement& placement,
                    const std::vector<std::string>& words) {
    const std::string said = error_of([&] { antenna(track, placement); });
    EXPECT_TRUE(said.starts_with("nav.csv: ")) << said;
    expect_in(said, words);
}

TEST(Navigation, RefusesWhatIsNoTrackOfThePulses) {
    const auto refused = [](const std::function<void(NavigationTrack&)>& spoil, const std::vector<std::string>& words,
                            const TrackPlacement& placement = {}) {
        NavigationTrack track = track_of(0.1);
        spoil(track);
        expect_refused(track, placement, words);
    };
    refused([](auto& t) { t.time_s.resize(3), t.position.resize(3); }, {"holds 3 positions, expected 4"});
    refused([](auto& t) { t.time_s[7] = t.time_s[6]; }, {"do not ascend", "position 8"});
    refused([](auto& t) { t.time_s[7] = t.time_s[6] + 1e-5; }, {"positions 7 and 8", "apart"});
    refused([](auto& t) { t.time_s.resize(100), t.position.resize(100); },
            {"covers", "3612.800", "--track-time-offset"});
    refused([](auto& t) { t.position[9] = {1, 2, 3}; }, {"position 10", "east_m"});
    refused([](auto& t) { t.position[50][0] += 20; }, {"off the curve through their neighbours", "about 3603"});
    refused([](auto& t) { t.quaternions.assign(t.time_s.size(), {1, 1, 0, 0}); }, {"quaternion 1", "1.41421"});
    refused([](auto& t) { t.frame = TrackFrame::geographic; }, {"latitude", "+-90"});
    refused([](auto&) {}, {"--track-origin"}, {.origin = start});
}

TEST(Navigation, RemarksOnGapsAndNoise) {
    std::vector<std::string> remarks;
    NavigationTrack gap = track_of(0.1);
    gap.time_s.erase(gap.time_s.begin() + 50, gap.time_s.begin() + 70);
    gap.position.erase(gap.position.begin() + 50, gap.position.begin() + 70);
    antenna(gap, {}, &remarks);
    ASSERT_EQ(remarks.size(), 1u);
    expect_in(remarks[0], "no position for 2.1 s from 3602.9");
    remarks.clear();
    NavigationTrack noisy = track_of(0.1);
    for (std::size_t i = 0; i < noisy.position.size(); ++i) noisy.position[i][0] += i % 3 == 0 ? 0.01 : 0;
    along_track(echo(), noisy, {}, 0, remarks);
    ASSERT_EQ(remarks.size(), 1u);
    expect_in(remarks[0], "every other");
}

}  // namespace
}  // namespace cornerturn
