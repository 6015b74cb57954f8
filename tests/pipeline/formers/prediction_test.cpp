// SPDX-License-Identifier: Apache-2.0
// Predicted errors against those measured in images of exact echoes.
#include "pipeline/formers/prediction.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <cmath>

#include "kernels/device/device.h"
#include "pipeline/acquisition/track/velocity.h"
#include "pipeline/formers/beam_ends.h"
#include "pipeline/formers/interpolated_pulses.h"
#include "pipeline/formers/processed_band.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/plan/focus_setup.h"
#include "pipeline/proof/simulator.h"
#include "tests/pipeline/flight.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

ViewingGeometry geometry_of(const Acquisition& acquisition) {
    return {std::make_shared<OrbitTrack>(*acquisition.orbit, acquisition.identification.look_side, 0.0),
            [](double, double) { return 0.0; }, acquisition.carrier_hz};
}

/// Of all rows as one block.
struct OneBlock {
    ImagePlan plan;
    Prediction predicted;
};
OneBlock one_block(const Acquisition& acquisition) {
    const ViewingGeometry geometry = geometry_of(acquisition);
    const ImagePlan plan = plan_image(acquisition,
                                      {.doppler_centroid_hz = 0,
                                       .velocity = choose_velocity(acquisition, 0, {}).profile,
                                       .azimuth_bandwidth_hz = acquisition.prf_hz,
                                       .range_window = {},
                                       .azimuth_window = {}},
                                      geometry);
    OneBlock block{with_history_of_rows(plan, acquisition, 0, plan.grid.rows), {}};
    block.predicted = predicted_along_track(acquisition, block.plan, 0, plan.grid.rows);
    return block;
}

TEST(Prediction, HoldsUpToTheLimits) {
    EXPECT_TRUE(holds({}));
    EXPECT_TRUE(holds(error_limits));
    EXPECT_FALSE(holds({.position_px = 0.006}));
    EXPECT_FALSE(holds({.phase_deg = 2.1}));
    EXPECT_FALSE(holds({.width_percent = 1.1}));
    EXPECT_FALSE(holds({.phase_deg = nan_value}));
}

TEST(Prediction, TheWorseOfTwoIsTakenErrorByError) {
    const Prediction both = worse_of({.position_px = 1, .phase_deg = 2}, {.phase_deg = 3, .width_percent = 4});
    EXPECT_EQ(both, (Prediction{1, 3, 4}));
    EXPECT_EQ(worse_of({.position_px = nan_value}, {}).position_px, INFINITY);
    EXPECT_EQ(worse_of({}, {.width_percent = nan_value}).width_percent, INFINITY);
}

TEST(Prediction, StraightFlightLeavesNothing) {
    const Acquisition acquisition = describe(one_target());
    const ImagePlan plan = plan_image(acquisition, parameters_of(acquisition));
    EXPECT_EQ(predicted_along_track(acquisition, plan, 0, plan.grid.rows), Prediction{});
}

TEST(Prediction, AnEvenTrackOfStateVectorsLeavesNextToNothing) {
    const Acquisition acquisition = describe(flight(1500, 700, [](double) { return Sway{}; }));
    const Prediction predicted = one_block(acquisition).predicted;
    EXPECT_LT(predicted.position_px, 1e-4);
    EXPECT_LT(predicted.phase_deg, 0.1);
    EXPECT_LT(predicted.width_percent, 0.01);
}

/// Swaying by a wavelength: a block's own phases take most of it away; what is left is what an image shows.
TEST(Prediction, IsWhatAnImageShows) {
    Scene scene = flight(2600, 700, swaying(0.0015, 0.6));
    scene.targets.emplace();
    for (int i = 0; i < 8; ++i)
        scene.targets->push_back({BeamCentrePosition{400.3 + 250.2 * i, i % 2 == 0 ? 80.3 : 330.7}, 1.0, 30.0 * i});
    const Echo echo = simulate(scene);
    const OneBlock block = one_block(echo.acquisition);
    const auto device = open_device("cpu");
    Matrix samples = device->allocate(echo.acquisition.format, echo.acquisition.lines, echo.acquisition.samples);
    device->upload(echo.samples, samples);
    const Formation formation = former_named("rda").form(echo.acquisition, block.plan);
    const Matrix rows = StepRunner(*device, formation.algorithm, {}).run(samples);
    Image image{.acquisition = echo.acquisition,
                .grid = block.plan.grid,
                .processing = {.algorithm = "rda",
                               .effective_velocity_m_s = velocities_m_s(block.plan),
                               .range_bandwidth_hz = echo.acquisition.chirp.bandwidth_hz(),
                               .azimuth_bandwidth_hz = block.plan.parameters.azimuth_bandwidth_hz,
                               .range_window = {},
                               .azimuth_window = {},
                               .software = "test"},
                .valid_columns = block.plan.coverage.valid.intervals,
                .intervals_per_row = block.plan.coverage.valid.intervals_per_row,
                .samples = std::vector<std::complex<float>>(
                    static_cast<std::size_t>(block.plan.grid.rows * block.plan.grid.columns))};
    device->download(rows, image.samples);
    Prediction shown;
    for (const AnalysisTarget& target : known_targets(image)) {
        const PointAnalysis point = analyze_point(image, target);
        ASSERT_EQ(point.refused, "");
        shown = worse_of(
            shown, {.position_px = std::hypot(*point.azimuth.position_error_px, *point.range.position_error_px),
                    .phase_deg = std::abs(*point.phase_error_deg),
                    .width_percent = 100 * std::abs(point.azimuth.measured.irw_px / point.azimuth.theory.irw_px - 1)});
    }
    const Prediction& predicted = block.predicted;
    EXPECT_FALSE(holds(shown)) << "or the scene is not what this test is for";
    // Eight targets need not lie where it is worst.
    EXPECT_LE(shown.position_px, 1.1 * predicted.position_px);
    EXPECT_GE(shown.position_px, 0.3 * predicted.position_px);
    EXPECT_LE(shown.phase_deg, 1.1 * predicted.phase_deg + 1);
    EXPECT_GE(shown.phase_deg, 0.3 * predicted.phase_deg - 1);
    EXPECT_LE(shown.width_percent, 1.1 * predicted.width_percent + 0.2);
    EXPECT_GE(shown.width_percent, 0.2 * predicted.width_percent - 0.2);
}

/// Lines that are what pulses were leave nothing; of pulses that an estimate of half the beam's band was made of, the
/// ends of the beam are lost.
TEST(Prediction, InterpolatedLinesLeaveWhatTheirEstimateDoes) {
    Scene scene = small_scene(1000, 330);
    scene.targets.emplace();
    scene.noise_db = 0;
    Acquisition acquisition = describe(scene);
    const FormerParameters parameters{.doppler_centroid_hz = 0,
                                      .velocity = VelocityProfile(scene.velocity_m_s),
                                      .azimuth_bandwidth_hz = acquisition.prf_hz,
                                      .range_window = {},
                                      .azimuth_window = {}};
    const ImagePlan image = plan_image(acquisition, parameters);
    EXPECT_EQ(predicted_for_interpolation(acquisition, image), Prediction{});
    InterpolatedLines lines{.pulse_times_s = {}, .band = 0.95};
    for (std::int64_t i = 0; i < acquisition.lines; ++i)
        lines.pulse_times_s.push_back(acquisition.pulse_time_s(static_cast<double>(i)));
    acquisition.interpolated = lines;
    EXPECT_TRUE(holds(predicted_for_interpolation(acquisition, image)));
    const auto move_pulses_by = [&](double intervals) {
        for (std::size_t i = 0; i < acquisition.interpolated->pulse_times_s.size(); ++i)
            acquisition.interpolated->pulse_times_s[i] += (i % 2 == 0 ? intervals : -intervals) / acquisition.prf_hz;
    };
    move_pulses_by(0.1);
    EXPECT_TRUE(holds(predicted_for_interpolation(acquisition, image)));
    // In pairs, 0.6 and 1.4 intervals apart: estimates of lines about a sharp end of the beam leave a little more.
    move_pulses_by(0.1);
    const Prediction in_pairs = predicted_for_interpolation(acquisition, image);
    EXPECT_TRUE(holds(in_pairs, {.position_px = 0.007, .phase_deg = 0.3, .width_percent = 0.7})) << text_of(in_pairs);
    // At the ends of a chirp Doppler frequencies lie a PRF beside the band of the estimate.
    acquisition.interpolated->chirp_ends_hz = acquisition.prf_hz;
    EXPECT_FALSE(holds(predicted_for_interpolation(acquisition, image), {0.007, 0.3, 5}));
    acquisition.interpolated->chirp_ends_hz = 0;
    acquisition.interpolated->band = 0.5 * scene.azimuth_bandwidth_hz / scene.prf_hz;
    EXPECT_FALSE(holds(predicted_for_interpolation(acquisition, image)));
}

/// A part of the beam ends where the spectrum of a short aperture falls already: points are wider than those of a band
/// with sharp ends, which is what theory has.
TEST(Prediction, APartOfABeamKeepsTheSlopeOfItsEnds) {
    const Acquisition acquisition = describe(small_scene(1000, 900));  // a beam of 180 Hz of 400
    ImagePlan image = plan_image(acquisition, parameters_of(acquisition));
    EXPECT_TRUE(holds(predicted_for_lost_ends(acquisition, image, former_named("rda"))));
    const auto part_percent = [&](double part) {
        image.parameters.azimuth_bandwidth_hz = part * 180;
        image.fades = fades_of(acquisition, image.parameters);
        return predicted_for_lost_ends(acquisition, image, former_named("rda")).width_percent;
    };
    EXPECT_GT(part_percent(0.99), 1);
    EXPECT_LT(part_percent(0.9), 0.5 * part_percent(0.99));
}

/// What comes back at the other end of a roomy PRF lies many widths away, and does not appear at the point (0.6 % of
/// width, where none is seen).
TEST(Prediction, WhatComesBackFarAwayIsNoErrorOfAPoint) {
    Scene scene = small_scene(1000, 900);
    scene.near_range_m = 4800;  // a time-bandwidth product of 168
    scene.prf_hz = 1.65 * scene.azimuth_bandwidth_hz;
    const Acquisition acquisition = describe(scene);
    const Prediction lost =
        predicted_for_lost_ends(acquisition, plan_image(acquisition, parameters_of(acquisition)), former_named("rda"));
    EXPECT_TRUE(holds(lost, {.position_px = 0.001, .phase_deg = 0.1, .width_percent = 0.15})) << text_of(lost);
}

/// A beam of 0.9 of the PRF whose centroid changes over the swath: columns that a filter gives the same band see what
/// comes back from beyond the PRF at one end of their beam only, which moves points.
TEST(Prediction, BeamsBesideTheirBandsMovePoints) {
    Scene scene = small_scene(1000, 900);
    scene.prf_hz = 200;
    const Acquisition acquisition = describe(scene);
    FormerParameters parameters = parameters_of(acquisition);
    const double metres_a_column = 0.5 * speed_of_light_m_s / acquisition.sample_rate_hz();
    const auto predicted = [&](std::string_view algorithm, double hz_per_column) {
        const auto centroid_hz = [&](double, double range_m) {
            return hz_per_column * ((range_m - acquisition.near_range_m) / metres_a_column - 450);
        };
        const ViewingGeometry turned{std::make_shared<StraightTrack>(parameters.velocity), centroid_hz,
                                     acquisition.carrier_hz};
        return predicted_for_lost_ends(acquisition, plan_image(acquisition, parameters, turned),
                                       former_named(algorithm));
    };
    const auto moved_px = [&](std::string_view algorithm, double hz_per_column) {
        return predicted(algorithm, hz_per_column).position_px;
    };
    const double allowed_px = error_limits.position_px;
    EXPECT_LT(moved_px("rda", 0), allowed_px);
    EXPECT_LT(moved_px("csa", 0), allowed_px);
    EXPECT_LT(moved_px("rda", 0.02), allowed_px) << "its bands follow the centroid";
    EXPECT_GT(moved_px("csa", 0.02), allowed_px) << "its band does not";
    EXPECT_GT(predicted("csa", 0.05).width_percent, error_limits.width_percent) << "beams leave the band";
    EXPECT_GT(moved_px("rda", 1), allowed_px) << "16 columns are the fewest that share a band";
    // More of a centroid at near range would make apertures there longer.
    EXPECT_NEAR(moved_px("backprojection", 0.02), moved_px("backprojection", 0), 1e-4) << "each pixel has its own";
}

/// Apertures of some 25 to 40 pulses, whose spectra fold back into the PRF from far beyond it: by filters and by sums,
/// at eight places between pulses, against what the image shows. Fresnel integrals of what lies within one PRF left
/// 0.004 px by rda for the first of these, and nothing by sums.
TEST(Prediction, AFewPulsesAreAddedUpOneByOne) {
    const auto device = open_device("cpu");
    for (const double product : {32.0, 20.0}) {
        Scene scene = small_scene(1200, 330);
        scene.prf_hz = 225;  // a beam of 180 Hz
        scene.velocity_m_s = 120 * std::sqrt(105 / product);
        put_targets(scene, 8, 140, 130.125, 62.7);
        const Echo echo = simulate(scene);
        const FormerParameters parameters = parameters_of(echo.acquisition);
        const ImagePlan plan = plan_image(echo.acquisition, parameters);
        for (const std::string_view algorithm : {"rda", "backprojection"}) {
            const Image image = focus_by(algorithm, *device, echo, parameters);
            Prediction shown;
            for (const AnalysisTarget& target : known_targets(image)) {
                const PointAnalysis point = analyze_point(image, target);
                ASSERT_EQ(point.refused, "");
                shown = worse_of(
                    shown,
                    {.position_px = std::abs(*point.azimuth.position_error_px),
                     .phase_deg = std::abs(*point.phase_error_deg),
                     .width_percent = 100 * std::abs(point.azimuth.measured.irw_px / point.azimuth.theory.irw_px - 1)});
            }
            const Prediction predicted = predicted_for_lost_ends(echo.acquisition, plan, former_named(algorithm));
            const std::string both =
                fmt::format("{} at {}: {} predicted, {} shown", algorithm, product, text_of(predicted), text_of(shown));
            EXPECT_FALSE(holds(shown)) << "or the scene is not what this test is for: " << both;
            // Targets need not lie where it is worst; the range adds 0.0005 px and 0.3 % of width by interpolation.
            EXPECT_LE(shown.position_px, 1.1 * predicted.position_px + 0.0005) << both;
            EXPECT_LE(shown.phase_deg, 1.1 * predicted.phase_deg + 0.1) << both;
            EXPECT_LE(shown.width_percent, 1.1 * predicted.width_percent + 0.3) << both;
            EXPECT_GE(shown.position_px, 0.4 * predicted.position_px) << both;
            EXPECT_GE(shown.width_percent, 0.4 * predicted.width_percent) << both;
        }
    }
}

/// Half of the PRF is room enough for 45 pulses; filters of Doppler frequencies and sums of pulses hold.
TEST(Prediction, AFewPulsesWithRoomLeaveLittle) {
    Scene scene = small_scene(1200, 500);
    scene.velocity_m_s = 120 * std::sqrt(105 / 20.0);
    scene.prf_hz = 400;
    const Acquisition acquisition = describe(scene);
    const ImagePlan plan = plan_image(acquisition, parameters_of(acquisition));
    for (const std::string_view algorithm : {"rda", "backprojection"}) {
        const Prediction lost = predicted_for_lost_ends(acquisition, plan, former_named(algorithm));
        EXPECT_TRUE(holds(lost)) << algorithm << ": " << text_of(lost);
    }
}

/// A point that a dozen pulses light, and be the PRF six beams, lies where they lie: it is predicted to be off, as it
/// is shown, by up to 0.04 px, and the refusal tells how few they are. With 30 pulses it holds by rda.
TEST(Prediction, ADozenPulsesAreNoAperture) {
    const auto device = open_device("cpu");
    Scene scene = small_scene(1200, 330);
    scene.prf_hz = 6 * scene.azimuth_bandwidth_hz;
    const auto with_pulses = [&](double pulses) {
        scene.velocity_m_s = 120 * std::sqrt(6 * 105 / pulses);
        put_targets(scene, 8, 140, 130.125, 62.7);
        return simulate(scene);
    };
    for (const double pulses : {0.5, 3.0, 12.0}) {
        SCOPED_TRACE(pulses);
        const Echo echo = with_pulses(pulses);
        const ImagePlan plan = plan_image(echo.acquisition, parameters_of(echo.acquisition));
        for (const std::string_view algorithm : {"rda", "backprojection"})
            EXPECT_FALSE(holds(predicted_for_lost_ends(echo.acquisition, plan, former_named(algorithm)))) << algorithm;
        FocusOptions options;
        options.algorithm = "rda";
        expect_refused([&] { set_up_focus(*device, echo.acquisition, options); },
                       {"--algorithm rda", fmt::format("in {:.2g} pulses, too few", pulses), "higher PRF"});
    }
    const Acquisition acquisition = with_pulses(30).acquisition;
    const Prediction lost =
        predicted_for_lost_ends(acquisition, plan_image(acquisition, parameters_of(acquisition)), former_named("rda"));
    EXPECT_TRUE(holds(lost)) << text_of(lost);
}

/// Where sums lose too much in rows that lie as pulses do, finer rows show points, and the whole of their main lobes.
TEST(Prediction, FinerRowsShowWhatAFewPulsesLight) {
    Scene scene = small_scene(1200, 500);
    scene.velocity_m_s = 120 * std::sqrt(105 / 24.0);
    scene.prf_hz = 257;
    const Acquisition acquisition = describe(scene);
    FormerParameters parameters = parameters_of(acquisition);
    const ImagePlan plan = plan_image(acquisition, parameters);
    const Former& sums = former_named("backprojection");
    ASSERT_FALSE(holds(predicted_for_lost_ends(acquisition, plan, sums)));
    const double rows = rows_per_pulse_for(acquisition, plan, false);
    ASSERT_GT(rows, 1);
    parameters = parameters_of_finer_rows(acquisition, plan);
    EXPECT_GT(parameters.azimuth_bandwidth_hz, *acquisition.azimuth_bandwidth_hz);
    parameters.rows_per_pulse = rows;
    EXPECT_TRUE(holds(predicted_for_lost_ends(acquisition, plan_image(acquisition, parameters), sums)));
    parameters.lobes_aside_hz = 0;  // weights of pulses that end at the beam end within a main lobe
    EXPECT_FALSE(holds(predicted_for_lost_ends(acquisition, plan_image(acquisition, parameters), sums)));
}

/// Of which the chirp is a tenth, and so fast that all frequencies lie well ahead.
Acquisition low_carrier() {
    Acquisition acquisition = describe(small_scene(1000, 900));  // a beam of 180 Hz of 400
    acquisition.carrier_hz = 0.8e9;
    acquisition.effective_velocity_m_s = 12000;
    return acquisition;
}

/// Where its chirp's ends see the beam several beams aside, nothing of it is left, and nothing is read beyond tables.
TEST(Prediction, BeamsFarBesideTheirBandsAreLookedAt) {
    Acquisition acquisition = low_carrier();
    acquisition.near_range_m *= 300;  // some 200 lines
    ImagePlan image = plan_image(acquisition, parameters_of(acquisition));
    for (const double centroid_hz : {0.0, 10e3, 30e3}) {
        image.parameters.doppler_centroid_hz = centroid_hz;
        EXPECT_LT(predicted_for_lost_ends(acquisition, image, former_named("omegak")).position_px, 0.5) << centroid_hz;
    }
}

/// Of two offsets that are spread evenly, the beam's and the chirp's, the part beyond a band: against counting.
TEST(Prediction, WhatFiltersCutOffAtTheChirpsEnds) {
    const Acquisition acquisition = low_carrier();
    FormerParameters parameters = parameters_of(acquisition);
    parameters.azimuth_bandwidth_hz = 190;
    for (const double moved_hz : {5.0, 30.0, 70.0, 150.0, 400.0}) {
        const double of_centroid = 0.5 * acquisition.chirp.bandwidth_hz() / acquisition.carrier_hz;
        parameters.doppler_centroid_hz = moved_hz / of_centroid - 90;
        ASSERT_NEAR(moved_at_chirp_ends_hz(acquisition, parameters), moved_hz, 1e-9);
        const double kept_hz = 0.5 * (190 + fades_of(acquisition, parameters).azimuth_fade_hz);
        constexpr int steps = 500;
        int beyond = 0;
        for (int i = 0; i < steps; ++i)
            for (int k = 0; k < steps; ++k)
                beyond +=
                    std::abs(180 * ((i + 0.5) / steps - 0.5) + 2 * moved_hz * ((k + 0.5) / steps - 0.5)) > kept_hz;
        EXPECT_NEAR(part_lost_at_chirp_ends(acquisition, parameters), beyond / double{steps * steps}, 2e-3) << moved_hz;
        const double whole_hz = band_to_chirp_ends_hz(acquisition, parameters);
        EXPECT_NEAR(whole_hz, std::clamp(180 + 2 * moved_hz, 190.0, 400.0), 1e-6) << moved_hz;
    }
}

/// A centroid that changes by 2 Hz from column to column: eight columns beside a point's it is 16 Hz, for which the
/// ripple beside a beam has no room.
TEST(Prediction, FiltersShowPointsInTheColumnsBesideTheirs) {
    const Acquisition acquisition = describe(small_scene(1000, 900));
    FormerParameters parameters = parameters_of(acquisition);
    parameters.azimuth_bandwidth_hz = 190;
    const double metres_a_column = 0.5 * speed_of_light_m_s / acquisition.sample_rate_hz();
    const auto band_hz = [&](double hz_per_column) {
        const ViewingGeometry turned{std::make_shared<StraightTrack>(parameters.velocity),
                                     [=, &acquisition](double, double range_m) {
                                         return hz_per_column *
                                                ((range_m - acquisition.near_range_m) / metres_a_column - 450);
                                     },
                                     acquisition.carrier_hz};
        return band_of_whole_points_hz(acquisition, plan_image(acquisition, parameters, turned));
    };
    EXPECT_EQ(band_hz(0), 190);
    EXPECT_EQ(band_hz(0.1), 190);
    EXPECT_GT(band_hz(2), 180 + 2 * 16);
    EXPECT_LE(band_hz(2), 400);
}

}  // namespace
}  // namespace cornerturn
