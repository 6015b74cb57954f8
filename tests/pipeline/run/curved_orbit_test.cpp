// SPDX-License-Identifier: Apache-2.0
// Exact echoes from curved orbits, with antennas that are not steered: every target at its true place, with its true
// phase.
#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

class CurvedOrbit : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, CurvedOrbit, every_device(), device_name);

struct Focused {
    Image image;
    FocusReport report;
};

Focused focused(Device& device, const Echo& echo, std::optional<std::int64_t> block_rows = {}) {
    FocusOptions options;
    options.memory.block_rows = block_rows;
    FocusResult result = focus(device, echo, options);
    return {std::move(result.image), std::move(result.report)};
}

void expect_true(const Image& image, double position_px, double phase_deg) {
    for (const AnalysisTarget& target : known_targets(image)) {
        const PointAnalysis point = analyze_point(image, target);
        ASSERT_EQ(point.refused, "");
        EXPECT_LT(std::abs(point.azimuth.position_error_px.value_or(99)), position_px);
        EXPECT_LT(std::abs(point.range.position_error_px.value_or(99)), position_px);
        EXPECT_LT(std::abs(point.phase_error_deg.value_or(180)), phase_deg);
    }
}

TEST_P(CurvedOrbit, TargetsAlongAStripLieWhereTheyAre) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    Scene scene = squinted_scene(0.6, 8192, 640);
    scene.targets.emplace();
    for (int i = 0; i < 6; ++i)
        scene.targets->push_back({BeamCentrePosition{700.3 + 1350 * i, i % 2 == 0 ? 60.2 : 190.6}, 1.0, 30.0 * i});
    const Focused strip = focused(*device, simulate(scene));
    EXPECT_EQ(strip.report.setup.velocity_source, "orbit");
    EXPECT_LT(strip.report.setup.doppler.centroid_hz, -9000);
    ASSERT_TRUE(strip.report.setup.image.histories.drift) << "or the scene is not what this test is for";
    EXPECT_GT(strip.report.setup.image.histories.drift->largest_cycles, 0.1);
    expect_true(strip.image, 0.004, 1);
}

TEST_P(CurvedOrbit, SeamsBetweenBlocksLeaveNoTrace) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    Scene scene = squinted_scene(0.6, 4096, 640);
    scene.targets = {{SceneTarget{BeamCentrePosition{2000.3, 100.4}, 1.0, 40.0}}};
    const Echo echo = simulate(scene);
    const Focused whole = focused(*device, echo);
    const AnalysisTarget target = known_targets(whole.image).front();
    const auto row = std::llround((target.time_s - whole.image.grid.first_time_s) / whole.image.grid.time_spacing_s);
    const Focused cut = focused(*device, echo, row);  // which begins the second block
    ASSERT_GE(cut.report.setup.memory.blocks.size(), 2u);
    const PointAnalysis of_whole = analyze_point(whole.image, target), of_cut = analyze_point(cut.image, target);
    ASSERT_EQ(of_cut.refused, "");
    EXPECT_NEAR(of_cut.azimuth.position_error_px.value(), of_whole.azimuth.position_error_px.value(), 0.001);
    EXPECT_NEAR(of_cut.range.position_error_px.value(), of_whole.range.position_error_px.value(), 0.002);
    EXPECT_NEAR(of_cut.phase_error_deg.value(), of_whole.phase_error_deg.value(), 1);
    EXPECT_NEAR(of_cut.azimuth.measured.irw_px / of_whole.azimuth.measured.irw_px, 1, 0.002);
}

/// Under 17 degrees of squint rows lie 38 s beside the pulses, and see the phase of a point turn 96 Hz faster than
/// pulses do. Who reads between rows about the Doppler frequency cuts a part of the spectrum off, and was 0.06 px off.
TEST_P(CurvedOrbit, FarBesideThePulsesTheCarrierAlongRowsIsKnown) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    Scene scene = squinted_scene(5.837, 716, 605);
    scene.carrier_hz = 13.35e9;
    scene.prf_hz = 1000;
    scene.azimuth_bandwidth_hz = 828.2;
    scene.sample_rate_hz = 18.03e6;
    scene.near_range_m = 1946e3;
    scene.chirp_slope_hz_s = 1.001e12;
    scene.chirp_duration_s = 14.98e-6;
    scene.look_side = LookSide::left;
    scene.orbit = KeplerOrbit{.altitude_m = 762.7e3,
                              .eccentricity = 0.02,
                              .inclination_deg = 52.41,
                              .node_deg = -31,
                              .perigee_deg = 102,
                              .latitude_argument_deg = 52};
    scene.targets = {{SceneTarget{BeamCentrePosition{365.6, 226.07}, 1.0, 25}}};
    const Focused strip = focused(*device, simulate(scene));
    expect_true(strip.image, 0.01, 1);
    const Image& image = strip.image;
    const PointTarget& target = image.acquisition.truth.front();
    const double carrier_hz = image.processing.doppler_hz(target.zero_doppler_time_s, target.range_m),
                 doppler_hz = 0.5 * (target.illuminated_band_hz->low_hz + target.illuminated_band_hz->high_hz);
    EXPECT_NEAR(carrier_hz - doppler_hz, 96, 15);
}

/// The band follows the centroid over the swath: a PRF hardly above the beam's leaves nothing to spare.
TEST_P(CurvedOrbit, CentroidsThatVaryOverTheSwathAreFollowed) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    Scene scene = squinted_scene(0.6, 1600, 5000);
    scene.targets.emplace();
    for (const double sample : {100.2, 2200.7, 4300.4})
        scene.targets->push_back({BeamCentrePosition{800.3, sample}, 1.0, 30.0});
    const Focused swath = focused(*device, simulate(scene));
    const auto centroid_hz = [&](double part) {
        const ImageGrid& grid = swath.image.grid;
        return swath.image.processing.doppler_hz(grid.time_s(0),
                                                 grid.range_m(part * static_cast<double>(grid.columns)));
    };
    EXPECT_GT(std::abs(centroid_hz(0) - centroid_hz(1)), 300) << "or the scene is not what this test is for";
    expect_true(swath.image, 0.004, 3);
    double least = INFINITY, most = 0;
    for (const AnalysisTarget& target : known_targets(swath.image)) {
        const PointAnalysis point = analyze_point(swath.image, target);
        EXPECT_NEAR(point.azimuth.measured.irw_px / point.azimuth.theory.irw_px, 1, 0.006);
        least = std::min(least, point.magnitude);
        most = std::max(most, point.magnitude);
    }
    EXPECT_LT(20 * std::log10(most / least), 0.15);
}

/// The spectrum goes on beyond the beam's edges: a band that many columns and rows share cuts it off unevenly, which
/// moved points by 0.0105 px and widened them by 2.5 %.
TEST_P(CurvedOrbit, BeamsThatNearlyFillThePrfAreCutOffEvenly) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    Scene scene = squinted_scene(0, 2000, 1400);
    scene.carrier_hz = 9.65e9;
    scene.prf_hz = 997;
    scene.azimuth_bandwidth_hz = 857;
    scene.sample_rate_hz = 18e6;
    scene.near_range_m = 780000;
    scene.chirp_slope_hz_s = 0.5e12;
    scene.chirp_duration_s = 30e-6;
    std::get<KeplerOrbit>(scene.orbit).altitude_m = 600e3;
    std::get<KeplerOrbit>(scene.orbit).latitude_argument_deg = 49;
    scene.beam = {.steering = Steering::fixed, .yaw_deg = 1};
    const Focused swath = focused(*device, simulate(scene));
    EXPECT_GT(swath.report.setup.memory.blocks.size(), 1u) << "or the centroid drifts too little for this test";
    expect_true(swath.image, 0.004, 1);
    for (const AnalysisTarget& target : known_targets(swath.image)) {
        const PointAnalysis point = analyze_point(swath.image, target);
        EXPECT_NEAR(point.azimuth.measured.irw_px / point.azimuth.theory.irw_px, 1, 0.008);
    }
}

}  // namespace
}  // namespace cornerturn
