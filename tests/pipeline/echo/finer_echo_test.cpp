// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/finer_echo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/formers/focused_scene.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// 100 MHz hold the chirp's 72 MHz, but not the 114 MHz of the beam in the image, nor the 145 MHz of all that is
/// processed.
Scene skewed_scene() {
    Scene scene = small_scene(1403, 431);
    scene.doppler_centroid_hz = 1370;
    scene.targets = {{SceneTarget{BeamCentrePosition{501.7, 100.4}, 20.0, 40.0},
                      SceneTarget{BeamCentrePosition{801.2, 230.9}, 20.0, 90.0}}};
    return scene;
}

Image focused(EchoSource& echo) {
    EchoSource* const frame = &echo;
    ImageInMemory sink;
    focus_frames(*open_device("cpu"), std::span(&frame, 1), by("auto"), sink);
    return std::move(sink.image);
}

TEST(FinerEcho, HoldsWhatSquintMakesWiderThanTheEchosSampling) {
    const Echo echo = simulate(skewed_scene());
    EchoInMemory coarse(echo);
    EXPECT_THROW(focused(coarse), InputError);
    std::vector<std::string> remarks;
    const auto finer = on_finer_samples(coarse, {}, 1, &remarks);
    ASSERT_TRUE(finer);
    EXPECT_NEAR(finer->acquisition().sample_rate_hz(), 162.5e6, 1);
    ASSERT_EQ(remarks.size(), 1u);
    expect_in(remarks[0], "from 100 to 162.5 MHz");
    expect_focused(focused(*finer), {.position_px = 0.005, .width = 0.02, .phase_deg = 2});
}

/// A file that knows the beam's width at half power: what lies beside it is echo, too, and is processed. 142 MHz hold
/// the beam's part of the image, 141 MHz, but not all of its 169 MHz.
TEST(FinerEcho, HoldsWhatIsProcessedBesideABeamOfHalfPower) {
    constexpr double half_power_hz = 90, middle_line = 693, lines_per_hz = 1321.0 / 215;
    Scene scene = small_scene(1400, 1500);
    scene.carrier_hz = 9.6e9;
    scene.prf_hz = 220;
    scene.sample_rate_hz = 142e6;
    scene.near_range_m = 20000;
    scene.chirp_slope_hz_s = 8e13;
    scene.chirp_duration_s = 1e-6;
    scene.doppler_centroid_hz = 3246;
    scene.azimuth_bandwidth_hz = 215;
    scene.targets = {{SceneTarget{BeamCentrePosition{700, 750}, 20.0, 40.0}}};
    Echo echo = simulate(scene);
    auto* values = reinterpret_cast<float*>(echo.samples.data());
    for (std::int64_t line = 0; line < scene.lines; ++line) {
        const double hz = (static_cast<double>(line) - middle_line) / lines_per_hz;
        const auto weight = static_cast<float>(std::exp2(-0.5 * std::pow(2 * hz / half_power_hz, 2)));
        std::for_each_n(values + 2 * line * scene.samples, 2 * scene.samples, [=](float& value) { value *= weight; });
    }
    echo.acquisition.azimuth_bandwidth_hz = half_power_hz;
    EchoInMemory coarse(echo);
    const auto finer = on_finer_samples(coarse, {}, 1);
    ASSERT_TRUE(finer);
    const Image image = focused(*finer);
    const PointAnalysis point = analyze_point(image, known_targets(image).at(0));
    for (const AxisAnalysis& axis : {point.range, point.azimuth})
        EXPECT_LT(std::abs(axis.position_error_px.value()), 0.002);  // 0.021 px at the echo's own rate
}

TEST(FinerEcho, OfSamplesWithGapsHasTheSameGaps) {
    Echo echo = simulate(skewed_scene());
    EchoDecoding& decoding = echo.acquisition.decoding;
    decoding.intervals_per_line = 2;
    for (std::int64_t line = 0; line < echo.acquisition.lines; ++line)
        decoding.valid_samples.insert(decoding.valid_samples.end(), {{0, 200}, {208, 431}});
    EchoInMemory coarse(echo);
    const FinerEcho finer(coarse, 12, 1);
    const Acquisition& acquisition = finer.acquisition();
    EXPECT_EQ(acquisition.samples, 647);
    EXPECT_EQ(acquisition.decoding.valid_samples[0], (Interval{0, 300}));
    EXPECT_EQ(acquisition.decoding.valid_samples[1], (Interval{312, 647}));
    EXPECT_DOUBLE_EQ(acquisition.range_m(12), echo.acquisition.range_m(8));
}

/// What a chirp's own slope and duration would give.
TEST(FinerEcho, OfAReplicaKnowsTheReplica) {
    const Scene scene = skewed_scene();
    Echo echo = simulate(scene);
    Chirp& chirp = echo.acquisition.chirp;
    const EchoInMemory plain(echo);
    for (std::int64_t k = 0; k < 200; ++k) {
        const double t_s = static_cast<double>(k) / scene.sample_rate_hz - 0.5 * chirp.duration_s;
        chirp.replica.emplace_back(std::polar(1.0, std::numbers::pi * chirp.slope_hz_s * t_s * t_s));
    }
    EchoInMemory coarse(echo);
    const auto finer = on_finer_samples(coarse, {}, 1);
    ASSERT_TRUE(finer);
    EXPECT_EQ(finer->acquisition().chirp.replica.size(), 325u);
    expect_focused(focused(*finer), {.position_px = 0.005, .width = 0.02, .phase_deg = 2});
}

TEST(FinerEcho, IsNoneWhereTheSamplingHoldsOrNobodyKnowsTheBand) {
    Scene scene = skewed_scene();
    const auto changed = [](const Echo& echo, const FocusOptions& options) {
        EchoInMemory source(echo);
        return on_finer_samples(source, options, 1) != nullptr;
    };
    Echo echo = simulate(scene);
    EXPECT_TRUE(changed(echo, {}));
    FocusOptions narrow;
    narrow.azimuth_bandwidth_hz = 20;
    EXPECT_FALSE(changed(echo, narrow));
    echo.acquisition.azimuth_bandwidth_hz.reset();
    EXPECT_FALSE(changed(echo, {}));
    scene.doppler_centroid_hz = 0;
    EXPECT_FALSE(changed(simulate(scene), {}));
}

}  // namespace
}  // namespace cornerturn
