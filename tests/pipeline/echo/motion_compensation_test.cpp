// SPDX-License-Identifier: Apache-2.0
// Lines of an antenna that sways, as those of an even flight: every algorithm makes true images of them.
#include "pipeline/echo/motion_compensation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/device/device.h"
#include "kernels/math/phasor.h"
#include "pipeline/acquisition/track/reference_track.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/run/focus.h"
#include "pipeline/run/image_header.h"
#include "pipeline/run/reference_echo.h"
#include "pipeline/verify/reference_stage.h"
#include "tests/pipeline/flight.h"
#include "tests/pipeline/formers/focused_scene.h"
#include "tests/support/on_cpu.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

FocusResult focused(EchoSource& recorded, FocusOptions options) {
    const auto even = on_even_lines(recorded, options, on_cpu(1));
    EchoSource* frame = even ? even.get() : &recorded;
    options = with_estimates(*frame, std::move(options), on_cpu(1));
    ImageInMemory sink;
    const auto device = open_device("cpu");
    auto reports = focus_frames(*device, std::span(&frame, 1), options, sink);
    return {.image = std::move(sink.image), .report = std::move(reports.front())};
}

FocusResult focused(const Scene& scene, const FocusOptions& options) {
    const Echo echo = simulate(scene);
    EchoInMemory recorded(echo);
    return focused(recorded, options);
}

bool has_note(const FocusResult& result, const std::string& key) {
    const auto& notes = result.report.setup.notes;
    return std::any_of(notes.begin(), notes.end(), [&](const auto& note) { return note.key == key; });
}

TEST(FilteredInterpolation, TellsTheFilteredSignalOfItsBand) {
    const std::vector<double> times{-7.7, -6.9, -5.8, -4.7, -3.9, -2.8, -1.9, -0.7,
                                    0.3,  1.4,  2.1,  3.3,  4.2,  5.1,  6.3,  7.2};
    constexpr double band = 0.7;
    const auto filter = [](double u) { return std_phasor(0.35 * u * u - 0.2 * u); };
    std::array<std::complex<double>, std::tuple_size_v<FilterNodes>> response{};
    for (std::size_t i = 0; i < response.size(); ++i) response[i] = filter(filter_nodes()[i]);
    std::vector<std::complex<double>> weights(times.size());
    FilteredInterpolation(times, band).weigh(filter_terms(response), weights);
    for (const double u : {-0.9, -0.5, -0.1, 0.3, 0.8}) {
        std::complex<double> told = 0;
        for (std::size_t i = 0; i < times.size(); ++i) told += weights[i] * std_phasor(0.5 * band * u * times[i]);
        EXPECT_LT(std::abs(told - filter(u)), 2e-3) << u;
    }
}

TEST(FilteredInterpolation, IsInterpolationWhereTheFilterDoesNothing) {
    const std::vector<double> times{-3.2, -2.1, -1.3, -0.2, 0.6, 1.9, 2.8, 11.5};
    const std::vector<double> plain = interpolation_weights(times, 0.8);
    std::vector<std::complex<double>> weights(times.size());
    FilterTerms nothing{};
    nothing[0] = 1;
    FilteredInterpolation(times, 0.8).weigh(nothing, weights);
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_LT(std::abs(weights[i] - plain[i]), 1e-9);
}

/// By the exact delays of a target from either track; the antennas stand halfway between sending and receiving.
TEST(TrackOffset, IsHowMuchLaterEchoesAre) {
    const Acquisition flown = describe(four_targets(gusts()));
    const Orbit reference = reference_track(flown).value();
    const TrackOffset offset(flown, reference, 0.0, constant_doppler(flown, 0));
    const LookSide side = flown.identification.look_side;
    const OrbitTrack rows(reference, side, 0.0);
    const CompensatedTrack seen(*flown.orbit, reference, side, 0.0);
    double largest_m = 0;
    for (const std::int64_t pulse : {100, 700, 1500, 2300})
        for (const double sample : {0.0, 200.0, 499.0})
            for (const double away_s : {-0.4, 0.0, 0.3}) {
                const double time_s = offset.beside().pulse_times_s[static_cast<std::size_t>(pulse)],
                             zero_doppler_s = time_s + away_s, range_m = flown.range_m(sample);
                const auto one_way_m = [&](const Track& track, double sent_s) {
                    return 0.5 * speed_of_light_m_s *
                           track.delay_history(zero_doppler_s, range_m)(sent_s - zero_doppler_s);
                };
                const double sent_s = time_s + 0.5 * flown.chirp.duration_s, slant_m = one_way_m(rows, sent_s),
                             farther_m =
                                 one_way_m(seen, offset.flown_time_s(pulse) + 0.5 * flown.chirp.duration_s) - slant_m;
                const Place place = rows.place(zero_doppler_s, range_m);
                const StateVector antenna = interpolate(reference, sent_s + slant_m / speed_of_light_m_s);
                const Vec3 look = unit(Vec3{place.x_m, place.y_m, place.z_m} - antenna.position_m);
                const double doppler_hz = 2 / flown.wavelength_m() * dot(antenna.velocity_m_s, look);
                EXPECT_NEAR(offset.at_pulse(pulse).farther_m(slant_m, doppler_hz), farther_m, 2e-6);
                largest_m = std::max(largest_m, std::abs(farther_m));
            }
    EXPECT_GT(largest_m, 0.05);
}

TEST(TrackOffset, PutsPulsesOfUnevenSpeedWhereTheReferencePassesThem) {
    const Acquisition flown = describe(four_targets(faster_by(0.1, lines_of_four_targets)));
    const TrackOffset offset(flown, reference_track(flown).value(), 0.0, constant_doppler(flown, 0));
    EXPECT_LT(offset.largest_distance_m(), 1e-3) << "all of the way is along the flight";
    const auto& times = offset.beside().pulse_times_s;
    EXPECT_NEAR((times.back() - times[times.size() - 2]) / (times[1] - times[0]), 1.1, 0.01);
}

struct NamedSway {
    const char* name;
    std::function<Sway(double)> sway;
};

class MotionCompensationOf : public testing::TestWithParam<NamedSway> {};

TEST_P(MotionCompensationOf, LeavesPointsTrueToEveryAlgorithm) {
    const Scene scene = four_targets(GetParam().sway);
    for (const std::string_view algorithm : {"auto", "rda", "csa", "omegak"}) {
        SCOPED_TRACE(std::string(algorithm));
        const FocusResult result = focused(scene, by(std::string(algorithm)));
        EXPECT_TRUE(has_note(result, "motion_compensation"));
        EXPECT_NE(result.report.setup.algorithm, "ffbp");
        expect_focused(result.image, {.position_px = 0.005, .width = 0.01, .phase_deg = 1});
    }
}

INSTANTIATE_TEST_SUITE_P(Flights, MotionCompensationOf,
                         testing::Values(NamedSway{"Gusts", gusts()}, NamedSway{"StrongGusts", gusts(1.5)},
                                         NamedSway{"Faster", faster_by(0.1, lines_of_four_targets)},
                                         NamedSway{"Slower", faster_by(-0.13, lines_of_four_targets)},
                                         NamedSway{"ALittleFaster", faster_by(0.004, lines_of_four_targets)}),
                         [](const auto& given) { return given.param.name; });

/// Lines that were dithered or lost are made of their neighbours in the same step.
TEST(MotionCompensation, FillsInLostLinesAlongTheReference) {
    Scene scene = four_targets(gusts());
    scene.dither = 0.05;
    scene.lost_lines = 0.01;
    const FocusResult result = focused(scene, by("rda"));
    EXPECT_TRUE(has_note(result, "motion_compensation"));
    // Of each lost line its neighbours tell all but a few per cent.
    expect_focused(result.image, {.position_px = 0.01, .width = 0.02, .phase_deg = 1.5});
}

TEST(MotionCompensation, FollowsTheHeightOfTheScene) {
    Scene scene = four_targets(gusts());
    scene.height_m = 600;
    FocusOptions options = by("rda");
    options.height_m = 600;
    const FocusResult result = focused(scene, options);
    expect_focused(result.image, {.position_px = 0.005, .width = 0.01, .phase_deg = 1});
}

TEST(MotionCompensation, IsProvenByBackProjectionAlongTheTrackAsFlown) {
    const auto device = open_device("cpu", 2);
    Scene scene = flight(1400, 400, gusts());
    scene.targets = {{SceneTarget{BeamCentrePosition{700.3, 100.4}, 1.0, 40.0}}};
    const ReferenceOutcome outcome = verified(*device, simulate(scene), by("rda"), 2);
    EXPECT_GE(outcome.checks.size(), 14u);
    for (const ReferenceCheck& check : outcome.checks)
        EXPECT_TRUE(check.passed()) << check.name << ' ' << check.value << ' ' << check.limit;
}

/// The predicted error is the measured one, where the spectrum in range moves so far that the range filter cuts some
/// off.
TEST(MotionCompensation, ForetellsWhatItLeaves) {
    Scene scene = small_scene(lines_of_four_targets, 500);
    scene.velocity_m_s = scene.doppler_centroid_hz = 0;
    sway_under_held_beam(scene, 14, 0.1);
    put_targets(scene, 4, 500.3, 430.2, 220.6);
    const Echo echo = simulate(scene);
    EchoInMemory recorded(echo);
    FocusOptions options = by("rda");
    EXPECT_TRUE(on_reference_track(recorded, by("auto"), on_cpu(1))->acquisition().flown_beside)
        << "auto takes sums over pulses then";
    expect_refused([&] { on_reference_track(recorded, options, on_cpu(1)); }, "motion compensation would leave");
    options.force = true;
    const auto even = on_reference_track(recorded, options, on_cpu(1));
    ASSERT_TRUE(even);
    const double predicted = even->acquisition().motion->width_percent;
    const FocusResult result = focused(recorded, options);
    double seen = 0;
    for (const AnalysisTarget& target : known_targets(result.image)) {
        const AxisAnalysis range = analyze_point(result.image, target).range;
        seen = std::max(seen, 100 * std::abs(range.measured.irw_px / range.theory.irw_px - 1));
    }
    EXPECT_GT(seen, 0.2);
    EXPECT_GT(predicted, 0.8 * seen);
    EXPECT_LT(predicted, 10 * seen);
}

/// Lines that were made finer or got phases meanwhile stay so in what the image tells of them.
TEST(MotionCompensation, ImagesOfLinesBesideTheTrackTellWhenPulsesLeft) {
    const Echo echo = simulate(four_targets(gusts()));
    EchoInMemory recorded(echo);
    const FocusOptions options = by("backprojection");
    Acquisition beside = on_reference_track(recorded, options, on_cpu(1))->acquisition();
    const FocusSetup setup = set_up_focus(*open_device("cpu"), beside, options);
    beside.near_range_m += 1;
    const Acquisition told = image_header(beside, options, setup).acquisition;
    EXPECT_EQ(told.near_range_m, echo.acquisition.near_range_m + 1);
    EXPECT_EQ(told.first_pulse_time_s, echo.acquisition.first_pulse_time_s);
    EXPECT_FALSE(told.uneven());
    EXPECT_FALSE(told.flown_beside);
    EXPECT_EQ(told.orbit, reference_track(echo.acquisition));
}

TEST(MotionCompensation, IsNotForWhatSumsPulsesAsSent) {
    const Echo echo = simulate(four_targets(gusts()));
    EchoInMemory recorded(echo);
    for (const std::string_view algorithm : {"backprojection", "ffbp"}) {
        const auto beside = on_reference_track(recorded, by(std::string(algorithm)), on_cpu(1));
        ASSERT_TRUE(beside && beside->acquisition().flown_beside);
        EXPECT_EQ(beside->acquisition().lines, echo.acquisition.lines);
        std::vector<std::byte> line(echo.samples.size() / static_cast<std::size_t>(echo.acquisition.lines));
        beside->read(7, 1, line);
        EXPECT_TRUE(
            std::equal(line.begin(), line.end(), echo.samples.begin() + static_cast<std::ptrdiff_t>(7 * line.size())));
    }
    FocusOptions straight_at = by("rda");
    straight_at.velocity_m_s = 120;
    EXPECT_EQ(on_reference_track(recorded, straight_at, on_cpu(1)), nullptr);
    const Echo straight = simulate(four_targets(swaying(0, 1)));
    EchoInMemory even(straight);
    EXPECT_EQ(on_reference_track(even, by("auto"), on_cpu(1)), nullptr);
}

}  // namespace
}  // namespace cornerturn
