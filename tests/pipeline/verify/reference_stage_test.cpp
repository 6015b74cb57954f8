// SPDX-License-Identifier: Apache-2.0
#include "pipeline/verify/reference_stage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "pipeline/echo/echo_part.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/measure/point_theory.h"
#include "pipeline/proof/exact_pixels.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/verify/reference_chip.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/on_cpu.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// One target in the middle of a small airborne scene, at odd fractions of a pixel.
Echo one_target(std::optional<double> noise_db = {}) {
    Scene scene = small_airborne_scene(900, 700);
    scene.noise_db = noise_db;
    scene.targets = {{BeamCentrePosition{450.3, 220.6}, 0.7, 40}};
    return simulate(scene);
}

const ReferenceCheck* find(const ReferenceOutcome& outcome, const std::string& part) {
    for (const ReferenceCheck& check : outcome.checks)
        if (check.name.find(part) != std::string::npos) return &check;
    return nullptr;
}

TEST(ReferenceCheck, WhatIsNoNumberFails) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    EXPECT_FALSE((ReferenceCheck{"", nan, 1, false, "", ""}.passed()));
    EXPECT_FALSE((ReferenceCheck{"", nan, 1, true, "", ""}.passed()));
    EXPECT_TRUE((ReferenceCheck{"", infinite, 100, true, "", ""}.passed()));
    const auto nothing = std::make_unique<ReferenceOutcome>();
    EXPECT_FALSE(nothing->passed());  // nothing checked is nothing proved
}

TEST(ReferenceStage, SignalToErrorIsThatOfItsDefinition) {
    const std::vector<std::complex<float>> reference{{3, 0}, {0, 4}}, image{{3, 0.05f}, {0, 4}};
    EXPECT_NEAR(signal_to_error_db(image, reference), 40, 1e-4);  // 25 over 0.0025
    EXPECT_TRUE(std::isinf(signal_to_error_db(reference, reference)));
    const std::vector<std::complex<float>> zero(2);
    EXPECT_TRUE(std::isinf(signal_to_error_db(zero, zero)));
    const std::vector<std::complex<float>> broken{{3, 0}, {0, std::numeric_limits<float>::quiet_NaN()}};
    EXPECT_TRUE(std::isnan(signal_to_error_db(broken, reference)));
}

TEST(ReferenceStage, PassesAGoodImage) {
    for (std::optional<double> noise_db : {std::optional<double>(), std::optional<double>(0.0)}) {
        const auto device = open_device("cpu", 2);
        const ReferenceOutcome outcome = verified(*device, one_target(noise_db), {}, 2);
        for (const ReferenceCheck& check : outcome.checks)
            EXPECT_TRUE(check.passed()) << check.name << ' ' << check.value << ' ' << check.limit;
        EXPECT_GE(outcome.checks.size(), 14u);
        EXPECT_TRUE(outcome.remarks.empty());
    }
}

TEST(ReferenceStage, AllowsForTheRippleOfShortChirps) {
    Scene scene = small_scene(400, 300);
    scene.chirp_duration_s = 0.3e-6;  // 30 samples
    scene.chirp_slope_hz_s = 72e6 / scene.chirp_duration_s;
    scene.targets = {{SceneTarget{BeamCentrePosition{200, 60}, 20.0, 40.0}}};
    const auto device = open_device("cpu", 2);
    for (const ReferenceCheck& check : verified(*device, simulate(scene), {}, 2).checks)
        EXPECT_TRUE(check.passed()) << check.name << ' ' << check.value << ' ' << check.limit;
}

/// In blocks the image is another one by roundings: what is read off it is not.
TEST(ReferenceStage, PassesAGoodImageInAzimuthBlocks) {
    const Echo echo = one_target(0.0);
    const auto device = open_device("cpu", 2);
    const ReferenceOutcome whole = verified(*device, echo, {}, 2);
    FocusOptions options;
    options.memory.block_rows = 301;
    const ReferenceOutcome blocked = verified(*device, echo, options, 2);
    EXPECT_EQ(whole.report.setup.memory.blocks.size(), 1u);
    EXPECT_GT(blocked.report.setup.memory.blocks.size(), 2u);
    ASSERT_EQ(blocked.checks.size(), whole.checks.size());
    for (std::size_t i = 1; i < whole.checks.size(); ++i) {
        EXPECT_TRUE(blocked.checks[i].passed()) << blocked.checks[i].name << ' ' << blocked.checks[i].value;
        EXPECT_NEAR(blocked.checks[i].value, whole.checks[i].value, 2e-3) << whole.checks[i].name;
        EXPECT_NEAR(blocked.checks[i].limit, whole.checks[i].limit, 1e-3 * whole.checks[i].limit) << "the same noise";
    }
    EXPECT_GE(blocked.checks[0].value, 120) << "the same blocks in double precision";
}

/// Transforms that the reference would not choose, in each block: with its own the image of omega-K is another one by
/// 90 dB.
TEST(ReferenceStage, TransformsAlikeInAzimuthBlocks) {
    Echo echo = one_target(0.0);
    echo.acquisition.truth.clear();
    const auto device = open_device("cpu", 2);
    for (const char* algorithm : {"rda", "omegak"}) {
        FocusOptions options = by(algorithm);
        options.memory.block_rows = 301;
        options.lowering.fft_lengths = FftLengths{2048, 1536};
        const ReferenceOutcome outcome = verified(*device, echo, options, 2);
        EXPECT_GT(outcome.report.setup.memory.blocks.size(), 2u);
        EXPECT_EQ(outcome.report.setup.memory.lowering.fft_lengths, (FftLengths{2048, 1536}));
        EXPECT_GE(outcome.checks[0].value, 120) << algorithm;
    }
}

/// What is summed pixel by pixel is summed in double precision at some pixels only: in every block those that lie in
/// it, and they tell of all.
TEST(ReferenceStage, SamplesBackProjection) {
    Scene scene = preset_scene("airborne");
    scene.near_range_m = 2000;
    scene.altitude_m = 500;
    scene.lines = 220;
    scene.samples = 200;
    scene.chirp_duration_s /= 10;
    scene.chirp_slope_hz_s *= 5;
    scene.noise_db = 0;
    scene.targets = {{BeamCentrePosition{110.3, 70.6}, 0.7, 40}};
    const Echo echo = simulate(scene);
    const auto device = open_device("cpu", 2);
    FocusOptions options = by("backprojection");
    const double whole_db = signal_to_error_db(focus(*device, echo, options).image.samples,
                                               focus(*open_device("cpu-double", 2), echo, options).image.samples);
    for (const std::optional<std::int64_t> rows : {std::optional<std::int64_t>(), std::optional<std::int64_t>(97)}) {
        options.memory.block_rows = rows;
        const ReferenceOutcome outcome = verified(*device, echo, options, 2);
        EXPECT_EQ(outcome.report.setup.memory.blocks.size(), rows ? 3u : 1u);
        expect_in(outcome.checks[0].remark, "pixels all over the image and the surroundings of 1 target");
        // Two dozen tiles make the image, and each errs by an amount of its own.
        EXPECT_NEAR(outcome.checks[0].value, whole_db, 1.5);
        EXPECT_TRUE(outcome.checks[0].passed());
    }
    options.memory.block_rows.reset();
    Echo nameless = echo;
    nameless.acquisition.truth.clear();
    const ReferenceOutcome outcome = verified(*device, nameless, options, 2);
    expect_in(outcome.checks[0].remark, "pixels all over the image and the surroundings of its brightest places");
    EXPECT_TRUE(outcome.checks[0].passed());
    options.algorithm = "rda";
    EXPECT_EQ(verified(*device, echo, options, 2).checks[0].remark, "");
}

/// A drone: PRF 2000 Hz, of which the beam fills 12 Hz and 644 Hz can exist at all.
TEST(ReferenceStage, PassesASlowPlatformWithAHighPrf) {
    Scene scene = preset_scene("airborne");
    scene.prf_hz = 2000;
    scene.velocity_m_s = 10;
    scene.doppler_centroid_hz = 0;
    scene.azimuth_bandwidth_hz = 12;
    scene.altitude_m = 100;
    scene.near_range_m = 600;
    scene.lines = 7000;
    scene.samples = 400;
    scene.chirp_slope_hz_s *= 5;
    scene.chirp_duration_s /= 5;
    scene.targets = {{BeamCentrePosition{3500.3, 90.6}, 0.7, 40}};
    const auto device = open_device("cpu", 2);
    const ReferenceOutcome outcome = verified(*device, simulate(scene), {}, 2);
    for (const ReferenceCheck& check : outcome.checks)
        EXPECT_TRUE(check.passed()) << check.name << ' ' << check.value << ' ' << check.limit;
    EXPECT_GE(outcome.checks.size(), 14u);
    EXPECT_LT(outcome.report.setup.image.parameters.azimuth_bandwidth_hz, 60) << "what the beam fills";
}

TEST(ReferenceStage, FailsWhenTheFileLiesAboutTheChirp) {
    Echo echo = one_target();
    echo.acquisition.chirp.slope_hz_s = -echo.acquisition.chirp.slope_hz_s;
    const auto device = open_device("cpu", 2);
    const ReferenceOutcome outcome = verified(*device, echo, {}, 2);
    EXPECT_FALSE(outcome.passed());
    EXPECT_TRUE(find(outcome, "double precision")->passed());  // the arithmetic is the same
    EXPECT_FALSE(find(outcome, "at the true places, amplitude")->passed());
    EXPECT_FALSE(find(outcome, "width")->passed());
}

TEST(ReferenceStage, FailsWhenTheFileLiesAboutTheGeometry) {
    const auto device = open_device("cpu", 2);
    Echo echo = one_target();
    echo.acquisition.truth.front().range_m += 0.05 * echo.acquisition.range_spacing_m;
    EXPECT_FALSE(find(verified(*device, echo, {}, 2), "position error in range")->passed());
    echo = one_target();
    echo.acquisition.truth.front().zero_doppler_time_s += 0.05 / echo.acquisition.prf_hz;
    EXPECT_FALSE(find(verified(*device, echo, {}, 2), "position error in azimuth")->passed());
    echo = one_target();
    echo.acquisition.truth.front().amplitude *= std::polar(1.0, 0.05);
    const ReferenceOutcome turned = verified(*device, echo, {}, 2);
    EXPECT_FALSE(find(turned, "at the true places, phase")->passed());
    EXPECT_TRUE(find(turned, "phase at the peak")->passed());  // image and back-projection still agree
}

TEST(ReferenceStage, SaysWhatItCannotJudge) {
    Echo echo = one_target();
    echo.acquisition.truth.clear();
    const auto device = open_device("cpu", 2);
    const ReferenceOutcome outcome = verified(*device, echo, {}, 2);
    EXPECT_EQ(outcome.checks.size(), 1u);
    EXPECT_TRUE(outcome.passed());
    EXPECT_EQ(outcome.remarks.size(), 1u);
}

/// Of the three targets a part sees the middle one whole, cuts the aperture of the next and holds nothing of the last.
TEST(ReferenceStage, JudgesTargetsThatAPartSeesWhole) {
    Scene scene = small_airborne_scene(1200, 700);
    scene.targets = {{{BeamCentrePosition{350.3, 220.6}, 0.7, 40},
                      {BeamCentrePosition{680, 100}, 1.0, 10},
                      {BeamCentrePosition{1100, 120}, 1.0, 20}}};
    const Echo echo = simulate(scene);
    EchoInMemory whole(echo);
    const auto device = open_device("cpu", 2);
    const auto of_part = [&](const Interval& lines, const Interval& samples) {
        EchoWindow part(whole, lines, samples, window_of(echo.acquisition, lines, samples));
        ReferenceOutcome outcome = verified(*device, part, {}, 2);
        for (const ReferenceCheck& check : outcome.checks)
            EXPECT_TRUE(check.passed()) << check.name << ' ' << check.value << ' ' << check.limit;
        return outcome;
    };
    const ReferenceOutcome of_lines = of_part({0, 700}, {0, 700});
    EXPECT_GE(of_lines.checks.size(), 14u);
    ASSERT_EQ(of_lines.remarks.size(), 1u);
    expect_in(of_lines.remarks[0], "2 of 3 targets are not judged: the echo does not hold all lines and samples");
    const ReferenceOutcome of_samples = of_part({0, 1200}, {0, 400});  // the first needs 250 from 220 on
    EXPECT_GE(of_samples.checks.size(), 14u);
    ASSERT_EQ(of_samples.remarks.size(), 1u);
    expect_in(of_samples.remarks[0], "1 of 3 targets is not judged");
    const ReferenceOutcome of_nothing = of_part({800, 802}, {0, 700});
    EXPECT_EQ(of_nothing.checks.size(), 1u) << "the image alone";
    expect_in(of_nothing.remarks[0], "3 of 3 targets are not judged");
}

/// Reads no more of the echo than it needs.
class CountedEcho final : public EchoSource {
public:
    explicit CountedEcho(const Echo& echo) : source_(echo) {}
    const Acquisition& acquisition() const override { return source_.acquisition(); }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        most_lines = std::max(most_lines, lines);
        source_.read(first_line, lines, to);
    }
    std::int64_t most_lines = 0;

private:
    EchoInMemory source_;
};

TEST(ReferenceChip, ReadsTheLinesOfItsApertureOnly) {
    Echo echo = one_target();
    const auto device = open_device("cpu-double", 2);
    const Image image = focus(*device, echo, {}).image;
    const PointTarget& target = image.acquisition.truth.front();
    CountedEcho counted(echo);
    const ChipComparison chip = compare_with_backprojection(*device, counted, image, target);
    const ResponseSupport support = target_support(image, analysis_target(target));
    const RadarGeometry geometry = recorded_geometry(image.acquisition, support.velocity_m_s);
    const IndexRange aperture =
        backprojection_chip(image.acquisition, geometry, {{target.zero_doppler_time_s, target.range_m}},
                            target.height_m, support.effective_azimuth_band_hz())
            .pixels.front()
            .lines;
    EXPECT_LE(counted.most_lines, aperture.last - aperture.first + 20) << "and what 16 pixels more need";
    EXPECT_LT(counted.most_lines, 600) << "of 900";
    // What lies outside is of no use.
    const std::size_t line_bytes = echo.samples.size() / static_cast<std::size_t>(echo.acquisition.lines);
    std::fill(echo.samples.begin(),
              echo.samples.begin() + static_cast<std::ptrdiff_t>((aperture.first - 20) * line_bytes), std::byte{0});
    std::fill(echo.samples.begin() + static_cast<std::ptrdiff_t>((aperture.last + 20) * line_bytes), echo.samples.end(),
              std::byte{0});
    EXPECT_EQ(compare_with_backprojection(*device, counted, image, target).at_truth_over_truth,
              chip.at_truth_over_truth);
}

TEST(ReferenceChip, TellsADisplacedAndATurnedImage) {
    const Echo echo = one_target();
    const auto device = open_device("cpu-double", 2);
    Image image = focus(*device, echo, {}).image;
    EchoInMemory source(echo);
    const PointTarget& target = image.acquisition.truth.front();
    const ChipComparison good = compare_with_backprojection(*device, source, image, target);
    EXPECT_TRUE(good.fully_recorded);
    // Fresnel ripples at time-bandwidth products of 720 and 330.
    EXPECT_LT(good.distance_px, 5e-3);
    EXPECT_NEAR(std::abs(good.at_truth_over_truth), 1.0, 1e-3);

    Image turned = image;
    for (auto& sample : turned.samples) sample *= std::polar(1.0f, 0.1f);
    EXPECT_NEAR(compare_with_backprojection(*device, source, turned, target).phase_deg - good.phase_deg, 5.73, 0.01);
    Image displaced = image;  // the samples moved by one column
    std::copy(image.samples.begin() + 1, image.samples.end(), displaced.samples.begin());
    const ChipComparison off = compare_with_backprojection(*device, source, displaced, target);
    EXPECT_NEAR(off.distance_px, 1.0, 0.06);  // the fading pulls a peak off the middle back by 4 %
    EXPECT_LT(off.correlation, 0.9);
}

}  // namespace
}  // namespace cornerturn
