// SPDX-License-Identifier: Apache-2.0
// Tracks that bend within an aperture, or whose speed changes: right in blocks, or refused before work begins.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "pipeline/formers/back_projection_passes.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "pipeline/run/reference_echo.h"
#include "tests/pipeline/flight.h"
#include "tests/pipeline/formers/focused_scene.h"
#include "tests/support/on_cpu.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

constexpr std::int64_t strip_lines = 6000;

Scene strip_of_targets(const std::function<Sway(double)>& sway) {
    Scene scene = flight(strip_lines, 640, sway);
    put_targets(scene, 7, 400.3, 860.2, 320.6);
    return scene;
}

Scene one_target_from(const std::function<Sway(double)>& sway) {
    Scene scene = flight(1500, 500, sway);
    scene.targets = {{SceneTarget{BeamCentrePosition{700.3, 200.4}, 1.0, 0.0}}};
    return scene;
}

FocusResult focused(const Echo& echo, std::string_view algorithm) {
    return focus(*open_device("cpu"), echo, by(algorithm));
}

std::string refusal_of(const Echo& echo, std::string_view algorithm) {
    return error_of([&] { focused(echo, algorithm); });
}

TEST(BendingTrack, BlocksFollowASpeedThatChanges) {
    const Echo echo = simulate(strip_of_targets(faster_by(0.0009, strip_lines)));  // by more, rows get a reference
    for (const std::string_view algorithm : {"rda", "omegak"}) {
        SCOPED_TRACE(algorithm);
        const FocusResult result = focused(echo, algorithm);
        ASSERT_TRUE(result.report.setup.predicted);
        EXPECT_TRUE(holds(*result.report.setup.predicted));
        expect_focused(result.image, {.position_px = 0.005, .width = 0.01, .phase_deg = 2});
    }
}

/// Blocks of lines are chosen by what they see anywhere along the track: their bands widen where it sways, and the laws
/// of their phases need more terms.
TEST(BendingTrack, FactorsFollowTheSway) {
    Scene scene = flight(1500, 500, swaying(0.1, 0.5));
    put_targets(scene, 4, 400.3, 230.2, 220.6);
    const Echo echo = simulate(scene);
    const Image factorised = focused(echo, "ffbp").image, summed = focused(echo, "backprojection").image;
    for (const AnalysisTarget& target : known_targets(factorised)) {
        const PointAnalysis point = analyze_point(factorised, target), exact = analyze_point(summed, target);
        ASSERT_EQ(point.refused, "");
        EXPECT_LT(std::hypot(*point.azimuth.position_error_px, *point.range.position_error_px), 0.005);
        EXPECT_LT(std::abs(*point.phase_error_deg), 2);
        EXPECT_NEAR(point.azimuth.measured.irw_px / point.azimuth.theory.irw_px, 1, 0.01);
        EXPECT_NEAR(point.azimuth.measured.irw_px / exact.azimuth.measured.irw_px, 1, 0.003);
        EXPECT_NEAR(point.range.measured.irw_px / exact.range.measured.irw_px, 1, 0.003);
    }
}

/// Close below the track the look angle changes so much over the swath that six powers of the column do not follow what
/// sway does to phases: more do, or factors are refused.
TEST(BendingTrack, FactorsFollowTheLookAngle) {
    const auto echo_from = [](double near_range_m) {
        Scene scene = flight(1500, 900, swaying(0.1, 0.5));  // 1800 m above
        scene.near_range_m = near_range_m;
        scene.targets.emplace();
        for (int i = 0; i < 4; ++i)
            scene.targets->push_back({BeamCentrePosition{400.3 + 230.2 * i, 60.2 + 200 * i}, 1.0, 30.0 * i});
        return simulate(scene);
    };
    const Image image = focused(echo_from(1950), "ffbp").image;
    for (const AnalysisTarget& target : known_targets(image)) {
        const PointAnalysis point = analyze_point(image, target);
        ASSERT_EQ(point.refused, "");
        EXPECT_LT(std::hypot(*point.azimuth.position_error_px, *point.range.position_error_px), 0.005);
        EXPECT_LT(std::abs(*point.phase_error_deg), 2);
    }
    const std::string refusal = refusal_of(echo_from(1840), "ffbp");
    expect_in(refusal, "the look angle changes over the swath");
}

/// To and fro by 3 m: sideways accelerations times range are more than the square of the speed, and every target is at
/// zero Doppler as flown many times. A beam that is held to the even flight sees each once.
TEST(BendingTrack, SumsFollowSwayThatRowsAsFlownWouldNot) {
    Scene scene = strip_of_targets(swaying(0, 0.5));
    sway_under_held_beam(scene, 3, 0.5);
    const Echo echo = simulate(scene);
    for (const std::string_view algorithm : {"ffbp", "backprojection"}) {
        SCOPED_TRACE(algorithm);
        expect_focused(focused(echo, algorithm).image, {.position_px = 0.005, .width = 0.01, .phase_deg = 2});
    }
}

/// A beam across the flight as flown wanders along rows by more than the PRF then.
TEST(BendingTrack, BeamsThatSwingWithTheSwayAreRefused) {
    const Echo echo = simulate(strip_of_targets(swaying(3, 0.5)));
    for (const std::string_view algorithm : {"rda", "ffbp", "backprojection"}) {
        const std::string refusal = refusal_of(echo, algorithm);
        expect_in(refusal, "wanders by");
    }
}

/// A curve about the scene. A table of Doppler centroids over rows that turn around would hold anything: there is none.
TEST(BendingTrack, CurvesAboutTheSceneAreRefused) {
    Scene curve = flight(1500, 500, [](double t) { return Sway{0, 0.5 * 9 * t * t, 0}; });
    curve.targets.emplace();
    curve.noise_db = 0;
    const Echo echo = simulate(curve);
    for (const std::string_view algorithm : {"rda", "ffbp", "backprojection"}) {
        const std::string refusal = refusal_of(echo, algorithm);
        EXPECT_TRUE(refusal.find("turns so much") != std::string::npos || refusal.find("wanders") != std::string::npos)
            << algorithm << ": " << refusal;
        EXPECT_EQ(refusal.find("nan"), std::string::npos) << algorithm << ": " << refusal;
    }
}

/// A beam that swings back faster than the antenna flies on, amid a strip: some places are seen twice.
TEST(BendingTrack, BeamsThatTurnBackAreRefused) {
    const Acquisition acquisition = describe(one_target_from([](double) { return Sway{}; }));
    const auto planned = [&](double swing_hz) {
        const double middle_s = acquisition.pulse_time_s(750);
        const ViewingGeometry geometry(
            std::make_shared<OrbitTrack>(*acquisition.orbit, acquisition.identification.look_side, 0.0),
            [=](double time_s, double) {
                return -swing_hz * std::sin(2 * std::numbers::pi * (time_s - middle_s) / 3.75);
            },
            acquisition.carrier_hz, false);
        FormerParameters parameters;
        parameters.velocity = VelocityProfile(120);
        parameters.azimuth_bandwidth_hz = 200;
        return plan_image(acquisition, parameters, geometry);
    };
    EXPECT_NO_THROW(planned(10));
    try {
        planned(400);
        FAIL();
    } catch (const InputError& refusal) {
        EXPECT_NE(std::string(refusal.what()).find("beam centres at a closest range"), std::string::npos)
            << refusal.what();
    }
}

/// A file may hold anything.
TEST(BendingTrack, CentroidsThatNoSquintReachesAreRefusedAsSuch) {
    Echo echo = simulate(one_target_from(swaying(0.01, 0.5)));
    for (const double centroid_hz : {1e8, -4000.0, double{NAN}}) {
        echo.acquisition.doppler_of_pixels_hz = SmoothSurface{.powers = {{centroid_hz}}};
        const std::string refusal = refusal_of(echo, "backprojection");
        expect_in(refusal, "Hz is out of reach");
        EXPECT_EQ(refusal.find("turns"), std::string::npos) << refusal;
    }
}

/// What no law of a block can follow was an image of nan, and an error about echo samples that overflow.
TEST(BendingTrack, LawsWithoutNumbersAreRefusedWhereForced) {
    const Echo echo = simulate(one_target_from(swaying(0.35, 0.5)));
    FocusOptions options;
    options.force = true;
    for (const std::string_view algorithm : {"rda", "omegak", "csa"}) {
        options.algorithm = algorithm;
        expect_refused([&] { focus(*open_device("cpu"), echo, options); },
                       {std::string("--algorithm ") + std::string(algorithm), "--force does not mend"});
    }
}

/// A small aeroplane a metre aside and above sees targets 180 m away half a degree less steeply, which moves their
/// range spectra by 80 MHz: between the samples of the echo they were read 0.04 px off.
TEST(BendingTrack, SwayBesideNearTargetsTakesFinerSamples) {
    Scene scene = preset_scene("drone");
    scene.lines = 1100;
    scene.samples = 700;
    Flight& flight = std::get<Flight>(scene.orbit);
    flight.turbulence = {};
    flight.sway = {{.across_m = 0.8, .up_m = 0.6, .frequency_hz = 0.12, .phase_deg = 160}};
    scene.targets = {{SceneTarget{BeamCentrePosition{540.3, 30.6}, 2.0, 40.0}}};
    const auto device = open_device("cpu", 2);
    const ReferenceOutcome outcome = verified(*device, simulate(scene), by("backprojection"), 2);
    expect_in(outcome.remarks.at(0), "squint, aperture and sway widen the range spectrum of the image");
    for (const ReferenceCheck& check : outcome.checks)
        if (check.name == "position error in range" || check.name.starts_with("width")) {
            EXPECT_LT(check.value, check.unit == "px" ? 0.003 : 1) << check.name;
        }
}

/// Of a beam that looks ahead nearly straight down the centroid changes by 1.6 % of it from column to column: the sums
/// of a point's columns left out parts of its beam, and it lay 0.026 px off in range.
TEST(BendingTrack, SumsHoldThePartsOfABeamThatColumnsBesideAPointLookAwayFrom) {
    Scene scene = steep_squint(700, 966, 931);
    scene.targets = {{SceneTarget{BeamCentrePosition{330.5, 94.5}, 0.66, 73.0}}};
    const auto device = open_device("cpu", 2);
    const ReferenceOutcome outcome = verified(*device, simulate(scene), by("backprojection"), 2);
    for (const ReferenceCheck& check : outcome.checks)
        if (check.name == "position error in range") {
            EXPECT_LT(check.value, 0.006);
        }
}

/// FM rates as flown say nothing where a track sways: points were 6 % wider (campaign, draw 1057). Those along rows of
/// its reference do.
TEST(BendingTrack, PulsesAreWeighedByRatesAlongRows) {
    const auto weights_of = [](const Echo& echo) {
        FocusOptions options = by("backprojection");
        const auto device = open_device("cpu");
        EchoInMemory recorded(echo);
        const auto beside = on_reference_track(recorded, options, on_cpu(1));
        const FocusSetup setup = set_up_focus(*device, beside ? beside->acquisition() : echo.acquisition, options);
        const DopplerWindow window = doppler_window(setup.image);
        const double reach = window.reach * window.bandwidth_hz, beam_hz = *echo.acquisition.azimuth_bandwidth_hz;
        std::vector<double> within_beam;
        for (const double part : {-0.4, 0.0, 0.4}) {
            const double at = 0.5 * (part * beam_hz / reach + 1) * static_cast<double>(window.weight.size() - 1);
            within_beam.push_back(window.weight[static_cast<std::size_t>(std::llround(at))]);
        }
        return within_beam;
    };
    const auto sway = weights_of(simulate(one_target_from(swaying(0.05, 0.5)))),
               straight = weights_of(simulate(one_target_from(swaying(0, 0.5))));
    for (std::size_t i = 0; i < sway.size(); ++i) EXPECT_NEAR(sway[i], straight[i], 1e-5);
    EXPECT_GT(std::abs(straight.front() - straight[1]), 5e-5) << "or there would be nothing to see";
}

}  // namespace
}  // namespace cornerturn
