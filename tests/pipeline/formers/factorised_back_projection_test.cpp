// SPDX-License-Identifier: Apache-2.0
// Factorised back-projection against the sum that it stands for, taken of lines so fine that they may run straight
// between their cells.
#include "pipeline/formers/factorised_back_projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/steps/steps.h"
#include "pipeline/formers/back_projection_passes.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// -10 kHz, an aperture of 600 lines, points in clutter.
Scene squinted_clutter(std::int64_t lines) {
    Scene scene = squinted_scene(0.6, lines, 560);
    scene.clutter = {{.first_line = 0,
                      .last_line = static_cast<double>(lines),
                      .first_sample = 0,
                      .last_sample = 176,
                      .scatterers = 600}};
    scene.targets = {{SceneTarget{BeamCentrePosition{0.5 * static_cast<double>(lines) + 0.3, 80.2}, 2.0, 30.0}}};
    return scene;
}

FocusResult focused(const Echo& echo, const char* algorithm, double error_db = -60, std::int64_t block_rows = 0) {
    const auto device = open_device("cpu", 2);
    FocusOptions options = by(algorithm);
    options.error_db = error_db;
    options.azimuth_bandwidth_hz = 1100;
    if (block_rows > 0) options.memory.block_rows = block_rows;
    return focus(*device, echo, options);
}

/// The sum as it is, of 24 cells for each sample: 75 dB.
std::vector<std::complex<float>> exact_sum(const Echo& echo, const ImagePlan& image) {
    const auto device = open_device("cpu", 2);
    const Acquisition& acquisition = echo.acquisition;
    const FineLines lines = beyond_the_swath({.cells = 24, .straight = true}, acquisition, image);
    const Algorithm algorithm{
        .least = {image.least.range, 1}, .steps = [&](const FftLengths& fft) {
            return Steps{{"range_compression", "line", "range", fine_range_compression(acquisition, image, fft, lines)},
                         {"accumulation", "time", "range", accumulation(acquisition, image, lines)}};
        }};
    Matrix samples = device->allocate(acquisition.format, acquisition.lines, acquisition.samples);
    device->upload(echo.samples, samples);
    std::vector<std::complex<float>> sum(static_cast<std::size_t>(image.grid.rows * image.grid.columns));
    device->download(StepRunner(*device, algorithm, {}).run(samples), std::span(sum));
    return sum;
}

double error_db(const Image& got, const std::vector<std::complex<float>>& exact) {
    double signal = 0, error = 0;
    for (std::int64_t row = 0; row < got.grid.rows; ++row)
        for (std::int64_t column = 0; column < got.grid.columns; ++column) {
            const auto i = static_cast<std::size_t>(row * got.grid.columns + column);
            signal += std::norm(std::complex<double>(exact[i]));
            error += std::norm(std::complex<double>(got.samples[i]) - std::complex<double>(exact[i]));
        }
    EXPECT_GT(signal, 0);
    return 10 * std::log10(error / signal);
}

bool is_factorised(const FocusResult& result) {
    const auto& notes = result.report.setup.notes;
    return std::any_of(notes.begin(), notes.end(), [](const FormerNote& note) {
        return note.key == "factorisation" &&
               std::any_of(note.values.begin(), note.values.end(), [](auto& v) { return v.first == "block_lines"; });
    });
}

TEST(FactorisedBackProjection, HoldsTheErrorThatWasChosenInClutterUnderSquint) {
    const Echo echo = simulate(squinted_clutter(1000));
    std::vector<std::complex<float>> exact;
    for (const double allowed_db : {-45.0, -60.0}) {
        const FocusResult result = focused(echo, "ffbp", allowed_db);
        ASSERT_TRUE(is_factorised(result)) << "or nothing is tried";
        if (exact.empty()) exact = exact_sum(echo, result.report.setup.image);
        EXPECT_LE(error_db(result.image, exact), allowed_db);
    }
}

TEST(FactorisedBackProjection, FocusesPointsWhereTheyAre) {
    Scene scene = squinted_clutter(1000);
    scene.clutter.clear();
    const FocusResult result = focused(simulate(scene), "ffbp");
    ASSERT_TRUE(is_factorised(result));
    const PointAnalysis point = analyze_point(result.image, known_targets(result.image).at(0));
    ASSERT_EQ(point.refused, "");
    EXPECT_LT(std::abs(point.range.position_error_px.value()), 0.002);
    EXPECT_LT(std::abs(point.azimuth.position_error_px.value()), 0.002);
    EXPECT_LT(std::abs(point.phase_error_deg.value()), 0.3);
    EXPECT_NEAR(point.magnitude_error_db.value(), 0, 0.1);
}

TEST(FactorisedBackProjection, BlocksGiveTheSameImage) {
    const Echo echo = simulate(squinted_clutter(1400));
    const FocusResult whole = focused(echo, "ffbp"), cut = focused(echo, "ffbp", -60, whole.image.grid.rows / 2 + 1);
    ASSERT_EQ(cut.report.setup.memory.blocks.size(), 2u);
    EXPECT_LE(error_db(cut.image, whole.image.samples), -57) << "each errs by -60 dB at most";
}

/// From 520 m over ground that begins 560 m away: blocks of lines meet rows so far off that the nearest of their cells
/// lie below the antenna, where there is none.
TEST(FactorisedBackProjection, IsRefusedWhereItsNodesWouldReachNoGround) {
    Scene scene;
    scene.carrier_hz = 5.46e9;
    scene.prf_hz = 535;
    scene.sample_rate_hz = 40.8e6;
    scene.near_range_m = 647;
    scene.lines = 1891;
    scene.samples = 1160;
    scene.chirp_slope_hz_s = -2.28e12;
    scene.chirp_duration_s = 13e-6;
    scene.azimuth_bandwidth_hz = 206;
    Flight flight;
    flight.altitude_m = 520;
    flight.heading_deg = 219;
    flight.speed_m_s = 80.8;
    scene.orbit = flight;
    scene.beam.yaw_deg = 4.77;
    scene.targets = {{SceneTarget{BeamCentrePosition{900, 400}, 1, 0}}};
    const Echo echo = simulate(scene);
    const auto device = open_device("cpu", 2);
    FocusOptions options = by("ffbp");
    options.error_db = -50;
    EchoInMemory recorded(echo);
    const auto finer = on_finer_samples(recorded, options, 2);
    ASSERT_NE(finer, nullptr);
    expect_refused([&] { set_up_focus(*device, finer->acquisition(), options); }, "its cells do not follow them");
    options.algorithm = "backprojection";
    EXPECT_NO_THROW(set_up_focus(*device, finer->acquisition(), options));
}

TEST(FactorisedBackProjection, IsTheSumOfFinerLinesWhereNothingIsGained) {
    Scene scene = squinted_scene(0.6, 500, 460);
    scene.azimuth_bandwidth_hz = 60;
    scene.targets = {{SceneTarget{BeamCentrePosition{240.3, 40.2}, 2.0, 30.0}}};
    const Echo echo = simulate(scene);
    const auto device = open_device("cpu", 2);
    FocusOptions options;
    options.azimuth_bandwidth_hz = 60;
    options.force = true;  // short apertures, so the beam is not all; of no matter here
    options.algorithm = "ffbp";
    const FocusResult result = focus(*device, echo, options);
    EXPECT_FALSE(is_factorised(result));
    EXPECT_LE(error_db(result.image, exact_sum(echo, result.report.setup.image)), -60) << "four cells leave -44 dB";
    const auto& notes = result.report.setup.notes;
    ASSERT_FALSE(notes.empty());
    expect_in(notes.back().text, "the sum is exact");
}

}  // namespace
}  // namespace cornerturn
