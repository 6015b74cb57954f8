// SPDX-License-Identifier: Apache-2.0
// Autofocus of simulated strips: the phase error of the truth is found, points are as narrow as without it and where
// they were; what is in focus, or tells nothing, stays as it is.
#include "pipeline/run/autofocus.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "kernels/errors.h"
#include "pipeline/autofocus/strip.h"
#include "pipeline/echo/kept_columns.h"
#include "pipeline/echo/phased_echo.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/verify/reference_stage.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class AutofocusOfStrips : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, AutofocusOfStrips, every_device(), device_name);

/// Six apertures, points of all sizes all over, in noise 45 dB below them in the image.
Scene strip_scene(double squint_hz = 0) {
    Scene scene = small_scene(1400, 460);
    scene.doppler_centroid_hz = squint_hz;
    scene.noise_db = 0;
    scene.targets.emplace();
    std::mt19937 random(5);
    std::uniform_real_distribution<double> even(0, 1);
    for (int i = 0; i < 50; ++i)
        scene.targets->push_back({BeamCentrePosition{(i + even(random)) * 28, 40 + 160 * even(random)},
                                  0.5 + 0.5 * even(random), 360 * even(random)});
    return scene;
}

const PhaseError several_radians{.quadratic_rad = 4, .sine_rad = 2, .sine_cycles = 4, .walk_rad = 3, .walk_seed = 9};

FocusOptions options_with(Autofocus method) {
    FocusOptions options;
    options.autofocus = method;
    return options;
}

Image focused_with(Device& device, const Echo& echo, const std::vector<double>& phase_rad) {
    EchoInMemory source(echo);
    PhasedEcho phased(source, phase_rad);
    EchoSource* const frame = &phased;
    ImageInMemory sink;
    focus_frames(device, std::span(&frame, 1), {}, sink);
    return std::move(sink.image);
}

TEST_P(AutofocusOfStrips, PointsAreAsNarrowAsWithoutThePhaseErrorAndWhereTheyWere) {
    // The estimator is the same on every device: in double precision the harder case alone.
    for (const double squint_hz : is_float() ? std::vector{0.0, -900.0} : std::vector{-900.0}) {
        SCOPED_TRACE(squint_hz);
        Scene scene = strip_scene(squint_hz);
        const Image clean = focus(*device, simulate(scene), {}).image;
        scene.phase_error = several_radians;
        const Echo echo = simulate(scene);
        EchoInMemory source(echo);
        const AutofocusReport found = find_line_phases(*device, source, options_with(Autofocus::phase_gradient), 2);
        EXPECT_EQ(found.verdict, "phase error taken away");
        ASSERT_TRUE(found.residual_rad);
        EXPECT_LT(*found.residual_rad, 0.1);
        EXPECT_GT(found.rms_rad, 1);
        EXPECT_GT(found.told_lines, 1300);

        const Image blurred = focused_with(*device, echo, std::vector<double>(1400)),
                    image = focused_with(*device, echo, found.record.phase_rad);
        int measured = 0;
        double worst_blur = 0;
        // A linear phase, which is nobody's to find, is left of the truth: it moves all points alike.
        std::vector<double> moved_px;
        const std::vector<AnalysisTarget> targets = known_targets(clean);
        for (std::size_t i = 0; i < targets.size(); i += 2) {
            const AnalysisTarget& target = targets[i];
            const PointAnalysis was = analyze_point(clean, target), is = analyze_point(image, target),
                                blur = analyze_point(blurred, target);
            if (!was.refused.empty() || !is.refused.empty() || !was.fully_covered) continue;
            if (std::abs(was.azimuth.measured.irw_px / was.azimuth.theory.irw_px - 1) > 0.01)
                continue;  // has a neighbour
            EXPECT_NEAR(is.azimuth.measured.irw_px / was.azimuth.measured.irw_px, 1, 0.02);
            EXPECT_NEAR(20 * std::log10(is.magnitude / was.magnitude), 0,
                        0.3);  // other noise, 36 dB below the faintest
            moved_px.push_back(is.row - was.row);
            if (blur.refused.empty())
                worst_blur = std::max(worst_blur, blur.azimuth.measured.irw_px / was.azimuth.measured.irw_px);
            ++measured;
        }
        EXPECT_GT(measured, 4);
        EXPECT_GT(worst_blur, 1.5);
        const auto [least, most] = std::minmax_element(moved_px.begin(), moved_px.end());
        EXPECT_LT(*most - *least,
                  0.25);  // 0.1 rad rms, bent over all of the strip, are 0.08 px at either end, and noise
    }
}

/// Under entropy what bends within apertures matters, and little else.
TEST_P(AutofocusOfStrips, EntropySharpensToo) {
    if (GetParam() == "cpu-double") GTEST_SKIP() << "the estimator is the same on every device";
    Scene scene = strip_scene();
    scene.phase_error = several_radians;
    const Echo echo = simulate(scene);
    EchoInMemory source(echo);
    const AutofocusReport found = find_line_phases(*device, source, options_with(Autofocus::minimum_entropy), 2);
    ASSERT_TRUE(found.residual_rad);
    std::vector<double> left = echo.acquisition.true_phase_error_rad;
    for (std::size_t i = 0; i < left.size(); ++i) left[i] -= found.record.phase_rad[i];
    const std::vector<double> all(left.size(), 1.0);
    EXPECT_LT(bend_rad(left, all, 233), 0.08);
    EXPECT_GT(bend_rad(echo.acquisition.true_phase_error_rad, all, 233), 0.8);
}

/// All zeros, not nearly: the image keeps its every bit.
TEST_P(AutofocusOfStrips, LeavesAnImageInFocusAsItIs) {
    const Echo echo = simulate(strip_scene());
    for (const Autofocus method : {Autofocus::phase_gradient, Autofocus::minimum_entropy}) {
        EchoInMemory source(echo);
        const AutofocusReport found = find_line_phases(*device, source, options_with(method), 2);
        EXPECT_EQ(found.record.phase_rad, std::vector<double>(1400));
        EXPECT_LT(found.rounds.at(0).bend_rad, focused_bend_rad);
        expect_in(found.verdict, "in focus");
        EXPECT_EQ(found.rms_rad, 0);
        EXPECT_EQ(found.record.method, method);
    }
}

/// Of one point in a beam that nearly fills the PRF, entropy falls by phases of lines that hardly see it, and where it
/// comes to lie on a pixel: once it was shifted, and turned by half a cycle.
TEST_P(AutofocusOfStrips, LeavesOnePointThatIsInFocus) {
    if (GetParam() == "cpu-double") GTEST_SKIP() << "the estimator is the same on every device";
    for (const double filled : {0.8, 0.955}) {
        SCOPED_TRACE(filled);
        Scene scene = small_scene(700, 300);
        scene.azimuth_bandwidth_hz = filled * scene.prf_hz;
        scene.targets = {{SceneTarget{BeamCentrePosition{450.3, 60.4}}}};
        const Echo echo = simulate(scene);
        EchoInMemory source(echo);
        const AutofocusReport found = find_line_phases(*device, source, options_with(Autofocus::minimum_entropy), 2);
        EXPECT_EQ(found.record.phase_rad, std::vector<double>(700)) << found.verdict;
    }
}

/// Noise can be made to look sharper where one looks, and only there.
TEST_P(AutofocusOfStrips, FindsNothingInNoise) {
    if (GetParam() == "cpu-double") GTEST_SKIP() << "the estimators are the same on every device";
    Scene scene = strip_scene();
    scene.targets->clear();
    const Echo echo = simulate(scene);
    for (const Autofocus method : {Autofocus::phase_gradient, Autofocus::minimum_entropy}) {
        EchoInMemory source(echo);
        const AutofocusReport found = find_line_phases(*device, source, options_with(method), 2);
        EXPECT_EQ(found.record.phase_rad, std::vector<double>(1400)) << found.verdict;
    }
    Echo nothing = echo;
    std::fill(nothing.samples.begin(), nothing.samples.end(), std::byte{0});
    EchoInMemory source(nothing);
    const AutofocusReport found = find_line_phases(*device, source, options_with(Autofocus::phase_gradient), 2);
    expect_in(found.verdict, "nothing stands out");
}

TEST(PhasedEchoOfLines, AddsToThePhasesThatTheFileGives) {
    Echo echo;
    echo.acquisition.lines = 3;
    echo.acquisition.samples = 1;
    echo.acquisition.line_phase_cycles = {0.5, 0, -0.25};
    EchoInMemory source(echo);
    const double turn = 2 * std::numbers::pi;
    const PhasedEcho phased(source, std::vector<double>{0.25 * turn, turn, 0});
    EXPECT_EQ(phased.acquisition().line_phase_cycles, (std::vector<double>{0.25, -1, -0.25}));
    EXPECT_THROW(PhasedEcho(source, std::vector<double>{1}), std::logic_error);
}

TEST(PhasesOfOtherFrames, GoWithTheCarrierAndRefuseOtherLines) {
    Acquisition first, second;
    first.lines = second.lines = 2;
    first.prf_hz = second.prf_hz = 100;
    first.carrier_hz = 1e9;
    second.carrier_hz = 1.5e9;
    const AutofocusRecord found{.method = Autofocus::phase_gradient, .phase_rad = {1, -2}};
    EXPECT_EQ(phases_for(found, first, first), (std::vector<double>{1, -2}));
    EXPECT_EQ(phases_for(found, first, second), (std::vector<double>{1.5, -3}));
    second.lines = 3;
    EXPECT_THROW(phases_for(found, first, second), InputError);
}

TEST(ColumnsKept, AreThoseThatFit) {
    Image header;
    header.grid = {.rows = 4, .columns = 7, .near_range_m = 100, .range_spacing_m = 10};
    std::vector<std::complex<float>> samples;
    for (int i = 0; i < 28; ++i) samples.emplace_back(static_cast<float>(i), 0.0f);
    for (const auto& [bytes, step] :
         {std::pair{1000, 1}, std::pair{4 * 8 * 4, 2}, std::pair{4 * 8 * 3, 3}, std::pair{1, 7}}) {
        KeptColumns kept(static_cast<std::size_t>(bytes));
        kept.begin(header);
        kept.write(0, std::span(samples).first(14));
        kept.write(2, std::span(samples).last(14));
        ASSERT_EQ(kept.columns(), (7 + step - 1) / step);
        EXPECT_EQ(kept.columns(), KeptColumns::columns_within(header.grid, static_cast<std::size_t>(bytes)));
        EXPECT_EQ(kept.range_m().back(), 100 + 10 * static_cast<double>((kept.columns() - 1) * step));
        const auto values = kept.take();
        for (std::int64_t k = 0; k < kept.columns(); ++k)
            for (std::int64_t row = 0; row < 4; ++row)
                EXPECT_EQ(values[static_cast<std::size_t>(k * 4 + row)],
                          samples[static_cast<std::size_t>(row * 7 + k * step)]);
    }
}

}  // namespace
}  // namespace cornerturn
