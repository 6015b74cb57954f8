// SPDX-License-Identifier: Apache-2.0
// Rows of images from tracks that sway are zero Doppler of an even flight.
#include "pipeline/acquisition/track/reference_track.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/device/device.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track/track_offset.h"
#include "pipeline/run/focus.h"
#include "pipeline/verify/reference_stage.h"
#include "tests/pipeline/flight.h"
#include "tests/pipeline/formers/focused_scene.h"
#include "tests/support/on_cpu.h"

namespace cornerturn {
namespace {

Acquisition flown_by(const std::function<Sway(double)>& sway) { return describe(four_targets(sway)); }

double distance_m(const Acquisition& acquisition, const Orbit& reference) {
    return TrackOffset(acquisition, reference, 0.0, constant_doppler(acquisition, 0)).largest_distance_m();
}

TEST(ReferenceTrack, IsNotNeededWhereRowsPassEvenly) {
    EXPECT_FALSE(reference_track(flown_by(swaying(0, 0.5))));
    EXPECT_FALSE(reference_track(flown_by(faster_by(0.0005, lines_of_four_targets))));
    EXPECT_FALSE(reference_track(describe(preset_scene("airborne"))));
    EXPECT_FALSE(reference_track(describe(preset_scene("sentinel"))));
}

/// Hardly faster than the ground below it, a satellite far out bends its way as an aircraft does.
TEST(ReferenceTrack, IsNotForSatellitesFarOut) {
    Scene scene = preset_scene("sentinel");
    scene.carrier_hz = 16.81e9;
    scene.prf_hz = 183.4, scene.azimuth_bandwidth_hz = 26.69;
    scene.lines = 1172, scene.samples = 433;
    scene.sample_rate_hz = 35.7e6;
    scene.chirp_slope_hz_s = -1.449e12, scene.chirp_duration_s = 3.984e-6;
    scene.near_range_m = 37.81e6;
    scene.orbit = KeplerOrbit{.altitude_m = 35.79e6,
                              .eccentricity = 0.02,
                              .inclination_deg = 71.49,
                              .node_deg = -38,
                              .perigee_deg = 163,
                              .latitude_argument_deg = -90};
    scene.beam = {.steering = Steering::fixed, .yaw_deg = 0.04641};
    scene.targets = {{SceneTarget{BeamCentrePosition{644.94, 151.3}}}};
    const Acquisition acquisition = describe(scene);
    EXPECT_FALSE(rows_pass_evenly(acquisition, *acquisition.orbit)) << "or this tests nothing";
    EXPECT_FALSE(reference_track(acquisition));
}

TEST(ReferenceTrack, IsOfOneSpeedWhereThatOfTheFlightChanges) {
    const auto reference = reference_track(flown_by(faster_by(0.1, lines_of_four_targets)));
    ASSERT_TRUE(reference);
    for (const Vec3& velocity : reference->velocity_m_s)
        EXPECT_NEAR(norm(velocity - reference->velocity_m_s.front()), 0, 1e-9);
}

TEST(ReferenceTrack, LiesAmidTheSwayAtOneSpeed) {
    const Acquisition acquisition = flown_by(gusts());
    const auto reference = reference_track(acquisition);
    ASSERT_TRUE(reference);
    EXPECT_LT(distance_m(acquisition, *reference), 0.6);
    for (const Vec3& velocity : reference->velocity_m_s) {
        EXPECT_NEAR(norm(velocity - reference->velocity_m_s.front()), 0, 1e-9);
        EXPECT_NEAR(norm(velocity), 120, 0.3);
    }
}

/// By 10 % from one end to the other: where it is slower than the reference, the beam is wider along rows.
TEST(ReferenceTrack, SeesTheBeamOfASlowerFlightWider) {
    const Acquisition acquisition = flown_by(faster_by(0.1, lines_of_four_targets));
    const TrackOffset offset(acquisition, *reference_track(acquisition), 0.0, constant_doppler(acquisition, 0));
    EXPECT_NEAR(*offset.beside().azimuth_bandwidth_hz / *acquisition.azimuth_bandwidth_hz, 1.05, 0.001);
}

/// A beam of 0.9 of the PRF fills 0.99 of it in rows where the flight is slowest: these lie closer.
TEST(ReferenceTrack, RowsLieCloserThanPulsesWhereABeamNeedsIt) {
    Scene scene = flight(1300, 300, faster_by(0.2, 1300));
    scene.azimuth_bandwidth_hz = 360;
    put_targets(scene, 2, 400.3, 500.2, 50.6);
    const Echo echo = simulate(scene);
    for (const char* algorithm : {"backprojection", "ffbp"}) {
        const FocusResult result = focus(*open_device("cpu"), echo, by(algorithm));
        EXPECT_NEAR(result.image.grid.time_spacing_s * scene.prf_hz, 0.8, 1e-9) << algorithm;
        expect_focused(result.image, {.position_px = 0.005, .width = 0.01, .phase_deg = 2});
    }
}

/// 60 km about the Earth at one height lie 70 m off a straight line.
TEST(ReferenceTrack, IsLevelWhereTheFlightIs) {
    constexpr double radius_m = 6378137.0 + 1800;
    const auto level = [](double t) {
        const double angle = 120 * t / radius_m;
        return Sway{radius_m * std::sin(angle) - 120 * t, 0.3 * std::sin(2 * std::numbers::pi * 0.1 * t),
                    radius_m * (std::cos(angle) - 1)};
    };
    Scene scene = flight(200000, 500, level, 1);
    scene.targets.emplace();
    scene.noise_db = 0;
    const Acquisition acquisition = describe(scene);
    const auto reference = reference_track(acquisition);
    ASSERT_TRUE(reference);
    EXPECT_LT(distance_m(acquisition, *reference), 1);
}

TEST(ReferenceTrack, FrequenciesAlongItsRowsAreDopplerFrequenciesWhereItWasFlown) {
    const Acquisition acquisition = flown_by(swaying(0, 0.5));
    const OrbitTrack track(*acquisition.orbit, acquisition.identification.look_side, 0.0);
    const PointTarget& target = acquisition.truth.front();
    const DelayHistory delay_s = track.delay_history(target.zero_doppler_time_s, target.range_m);
    for (const double time_s : {-0.4, 0.0, 0.3}) {
        constexpr double half_s = 1e-3;
        const double doppler_hz =
            -acquisition.carrier_hz * (delay_s(time_s + half_s) - delay_s(time_s - half_s)) / (2 * half_s);
        EXPECT_NEAR(row_frequency_hz(track, target.zero_doppler_time_s, target.range_m,
                                     target.zero_doppler_time_s + time_s, acquisition.carrier_hz),
                    doppler_hz, 1e-4 + 2e-6 * std::abs(doppler_hz));
    }
}

TEST(ReferenceTrack, TargetsStayInTheirPlaces) {
    const Acquisition acquisition = flown_by(gusts());
    const Orbit reference = reference_track(acquisition).value();
    const std::vector<PointTarget> targets = on_rows_of(reference, acquisition);
    const LookSide side = acquisition.identification.look_side;
    ASSERT_EQ(targets.size(), acquisition.truth.size());
    double moved_s = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const PointTarget &seen = targets[i], &flown = acquisition.truth[i];
        const Vec3 place = zero_doppler_ground_point(interpolate(reference, seen.zero_doppler_time_s), seen.range_m,
                                                     side, seen.height_m)
                               .position_m,
                   as_flown = zero_doppler_ground_point(interpolate(*acquisition.orbit, flown.zero_doppler_time_s),
                                                        flown.range_m, side, flown.height_m)
                                  .position_m;
        EXPECT_LT(norm(place - as_flown), 1e-5);
        moved_s = std::max(moved_s, std::abs(seen.zero_doppler_time_s - flown.zero_doppler_time_s));
    }
    EXPECT_GT(moved_s, 0.005) << "or two rows would not need another track";
}

TEST(ReferenceTrack, PointsOfSwayingTracksAreWhereItsRowsSay) {
    const Scene scene = four_targets(gusts());
    FocusOptions options;
    for (const std::string_view algorithm : {"auto", "backprojection"}) {
        SCOPED_TRACE(std::string(algorithm));
        options.algorithm = algorithm;
        const FocusResult result = focus(*open_device("cpu"), simulate(scene), options);
        EXPECT_EQ(result.image.acquisition.orbit, reference_track(describe(scene)));
        const auto& notes = result.report.setup.notes;
        const std::string_view key = algorithm == "auto" ? "motion_compensation" : "reference_track";
        EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [=](const auto& n) { return n.key == key; }));
        expect_focused(result.image, {.position_px = 0.005, .width = 0.01, .phase_deg = 1});
    }
}

TEST(ReferenceTrack, ImagesAreProvenByBackProjectionAlongTheTrackAsFlown) {
    const auto device = open_device("cpu", 2);
    Scene scene = flight(1000, 400, gusts());
    scene.targets = {{SceneTarget{BeamCentrePosition{500.3, 100.4}, 1.0, 40.0}}};
    const ReferenceOutcome outcome = verified(*device, simulate(scene), by("backprojection"), 2);
    EXPECT_TRUE(outcome.report.acquisition.flown_beside);
    EXPECT_GE(outcome.checks.size(), 14u);
    for (const ReferenceCheck& check : outcome.checks)
        EXPECT_TRUE(check.passed()) << check.name << ' ' << check.value << ' ' << check.limit;
}

}  // namespace
}  // namespace cornerturn
