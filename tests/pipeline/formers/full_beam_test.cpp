// SPDX-License-Identifier: Apache-2.0
// A beam that fills nearly all of the PRF: all of it makes the image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "pipeline/formers/former.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// A target in mid-scene, by a beam of 180 Hz.
Scene scene_at(double prf_hz) {
    Scene scene = small_scene(700, 330);
    scene.prf_hz = prf_hz;
    scene.near_range_m = 12000;
    scene.targets = {{SceneTarget{BeamCentrePosition{350.2, 64.4}, 1, 30}}};
    return scene;
}

void expect_right(const FocusResult& focused) {
    const PointAnalysis point = analyze_point(ImageView(focused.image), known_targets(focused.image).front());
    ASSERT_EQ(point.refused, "");
    EXPECT_NEAR(point.azimuth.measured.irw_px / point.azimuth.theory.irw_px, 1, 0.01);
    EXPECT_NEAR(point.azimuth.position_error_px.value(), 0, 0.005);
    EXPECT_NEAR(point.phase_error_deg.value(), 0, 2);
}

/// Of the beam of 180 Hz, with a warning.
void expect_part(const FocusResult& focused) {
    EXPECT_GE(focused.image.processing.azimuth_bandwidth_hz, 0.9 * 180);
    EXPECT_LT(focused.image.processing.azimuth_bandwidth_hz, 180);
    const auto& warnings = focused.report.setup.warnings;
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.find(
                   "the beam of 180 Hz has soft ends, as few lines see a point, for which the PRF of 183.6 Hz "
                   "has no room") == 0;
    }));
    expect_right(focused);
}

/// All of the beam on rows that lie closer than pulses, with a warning.
void expect_finer_rows(const FocusResult& focused, double prf_hz) {
    EXPECT_GE(focused.image.processing.azimuth_bandwidth_hz, 180);
    EXPECT_LT(focused.image.grid.time_spacing_s * prf_hz, 0.81);
    const auto& warnings = focused.report.setup.warnings;
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.find("the beam of 180 Hz needs more room along rows than the PRF of 183.6 Hz") == 0;
    }));
    expect_right(focused);
}

class FullBeam : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, FullBeam, testing::Values("rda", "csa", "omegak", "backprojection", "ffbp"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(FullBeam, MakesPointsAsNarrowAndStrongAsItIsWide) {
    const auto device = open_device("cpu");
    const FocusOptions options = by(GetParam());
    for (const double prf_over_beam : {1.02, 1.06, 1.2}) {
        const Echo echo = simulate(scene_at(180 * prf_over_beam));
        const FocusResult focused = focus(*device, echo, options);
        const PointAnalysis point = analyze_point(ImageView(focused.image), known_targets(focused.image).front());
        ASSERT_EQ(point.refused, "") << prf_over_beam;
        EXPECT_NEAR(point.azimuth.measured.irw_px / point.azimuth.theory.irw_px, 1, 0.01) << prf_over_beam;
        EXPECT_NEAR(point.magnitude_error_db.value(), 0, 0.1) << prf_over_beam;
        EXPECT_NEAR(point.azimuth.position_error_px.value(), 0, 0.005) << prf_over_beam;
        EXPECT_NEAR(point.phase_error_deg.value(), 0, 2) << prf_over_beam;
    }
}

/// Of half that aperture points would be 1 % wider. Who asks for a part gets it.
TEST_P(FullBeam, IsRightInPartOrHasFinerRowsWhereThePrfCutsOffItsSoftEnds) {
    const auto device = open_device("cpu");
    FocusOptions options = by(GetParam());
    const bool weighs_pulses = former_named(options.algorithm).weighs_pulses;
    const auto focused_at = [&](double prf_over_beam) {
        Scene scene = scene_at(180 * prf_over_beam);
        scene.near_range_m = 6000;
        return focus(*device, simulate(scene), options);
    };
    EXPECT_GE(focused_at(1.2).image.processing.azimuth_bandwidth_hz, 180);
    if (weighs_pulses) {
        expect_finer_rows(focused_at(1.02), 180 * 1.02);
    } else {
        expect_part(focused_at(1.02));
    }
    options.azimuth_bandwidth_hz = 165;
    const FocusResult focused = focused_at(1.02);
    EXPECT_EQ(focused.image.processing.azimuth_bandwidth_hz, 165);
    expect_right(focused);
}

/// At the chirp's ends, 4 % of the carrier beside it, the beam lies a seventh of its width aside: in rows a PRF apart
/// points lay up to 0.3 px beside their places to who reads between them.
TEST(FullBeams, OfWideChirpsUnderSquintHaveFinerRows) {
    Scene scene = scene_at(40.9);
    scene.lines = 480;
    scene.samples = 560;
    scene.carrier_hz = 0.488e9;
    scene.sample_rate_hz = 80e6;
    scene.near_range_m = 2580;
    scene.chirp_slope_hz_s = 13.8e12;
    scene.chirp_duration_s = 2.74e-6;
    scene.azimuth_bandwidth_hz = 39.5;
    scene.velocity_m_s = 94.3;
    scene.doppler_centroid_hz = 122;
    scene.targets = {{SceneTarget{BeamCentrePosition{229.8, 245.1}, 1.0, 30.0}}};
    const auto device = open_device("cpu");
    const FocusResult focused = focus(*device, simulate(scene), by("backprojection"));
    EXPECT_LT(focused.image.grid.time_spacing_s * scene.prf_hz, 0.7);
    expect_right(focused);
}

/// At the chirp's ends the beam lies two of its widths aside: what a band of the PRF keeps is a quarter of the
/// spectrum, and came out four times as wide in range (a find of scripts/campaign).
TEST(FullBeams, OfWhichABandWouldKeepAPartOfTheChirpAreRefused) {
    Scene scene = scene_at(211);
    scene.carrier_hz = 1.09e9;
    scene.sample_rate_hz = 88.3e6;
    scene.near_range_m = 991407;
    scene.chirp_slope_hz_s = -39.7e12;
    scene.chirp_duration_s = 1.83e-6;
    scene.azimuth_bandwidth_hz = 198;
    scene.velocity_m_s = 6970;
    scene.doppler_centroid_hz = 12600;
    scene.altitude_m = 786e3;
    const auto device = open_device("cpu");
    const Acquisition acquisition = simulate(scene).acquisition;
    expect_refused([&] { set_up_focus(*device, acquisition, by("omegak")); },
                   "75 % of a point's spectrum lie beyond the 211 Hz that are processed, at most 10 % may be");
    FocusOptions options = by("omegak");
    options.force = true;
    EXPECT_NE(set_up_focus(*device, acquisition, options).forced_over.find("75 %"), std::string::npos);
}

TEST(FullBeams, OfShorterAperturesAreRightInPart) {
    const auto device = open_device("cpu");
    Scene scene = scene_at(180 * 1.02);
    scene.near_range_m = 3000;
    for (const char* algorithm : {"rda", "omegak", "auto"}) {
        expect_part(focus(*device, simulate(scene), by(algorithm)));
    }
}

/// Rows that lie closer pass by fewer lines each.
TEST(FullBeams, BlocksOfFinerRowsGiveTheSameImage) {
    const auto device = open_device("cpu");
    Scene scene = small_scene(2000, 300);
    scene.prf_hz = 180 * 1.02;
    scene.targets = {
        {SceneTarget{BeamCentrePosition{350.2, 50.4}, 1, 30}, SceneTarget{BeamCentrePosition{1590.7, 52.1}, 1, 70}}};
    const Echo echo = simulate(scene);
    FocusOptions options = by("backprojection");
    const FocusResult whole = focus(*device, echo, options);
    options.memory.most_rows = whole.image.grid.rows / 3 + 1;
    const FocusResult cut = focus(*device, echo, options);
    ASSERT_EQ(cut.report.setup.memory.blocks.size(), 3u);
    EXPECT_LT(cut.report.setup.memory.blocks[0].lines, echo.acquisition.lines);
    EXPECT_GT(cut.report.setup.memory.blocks[2].first_line, 0);
    ASSERT_EQ(cut.image.samples.size(), whole.image.samples.size());
    for (std::size_t i = 0; i < whole.image.samples.size(); ++i)
        ASSERT_NEAR(std::abs(cut.image.samples[i] - whole.image.samples[i]), 0, 1e-4) << i;
    EXPECT_LT(whole.image.grid.time_spacing_s * scene.prf_hz, 0.81);
    for (const AnalysisTarget& target : known_targets(cut.image)) {
        const PointAnalysis point = analyze_point(cut.image, target);
        ASSERT_EQ(point.refused, "");
        EXPECT_LT(std::abs(point.azimuth.position_error_px.value()), 0.005);
    }
}

/// Seen without: 2.5 % wider by rda, by sums of the pulses 0.02 px off at 700 m. These hold farther away.
TEST_P(FullBeam, IsRefusedWhereABandThatIsAskedForCutsOffItsSoftEnds) {
    const auto device = open_device("cpu");
    Scene scene = scene_at(400);
    scene.near_range_m = 2000;
    FocusOptions options = by(GetParam());
    options.azimuth_bandwidth_hz = 180;
    if (former_named(GetParam()).weighs_pulses) {
        expect_right(focus(*device, simulate(scene), options));
        scene.near_range_m = 600;
    }
    const Echo echo = simulate(scene);
    expect_refused([&] { focus(*device, echo, options); }, "take more of the PRF's 400 Hz by --azimuth-bandwidth");
    options.azimuth_bandwidth_hz.reset();
    EXPECT_NO_THROW(focus(*device, echo, options));
}

}  // namespace
}  // namespace cornerturn
