// SPDX-License-Identifier: Apache-2.0
// Every chain forms the same image, and the planner takes the cheapest that can.

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/device/device_bench.h"
#include "kernels/errors.h"
#include "kernels/steps/steps.h"
#include "pipeline/formers/range_doppler.h"
#include "pipeline/proof/scene.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "pipeline/run/step_runner.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/kernels/every_device.h"
#include "tests/kernels/fast_fourier.h"
#include "tests/kernels/migration_passes.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// C band over 700 x 600 samples with noise, seen at a Doppler centroid.
Scene c_band_scene(double centroid_hz = 0) {
    Scene scene = preset_scene("spaceborne");
    scene.lines = 700;
    scene.samples = 600;
    scene.chirp_duration_s = 4e-6;
    scene.sample_type = SampleFormat::int16;
    scene.noise_db = 0;
    scene.doppler_centroid_hz = centroid_hz;
    scene.targets = {{SceneTarget{BeamCentrePosition{350, 250}, 20.0, 0.0}}};
    return scene;
}

class Chains : public EveryDevice {
protected:
    Image focused(Device& on, const Echo& echo, const FocusOptions& options, FocusSetup* setup = nullptr) {
        FocusResult result = focus(on, echo, options);
        if (setup) *setup = result.report.setup;
        return std::move(result.image);
    }

    /// Both precisions, the same lengths of transforms.
    double against_double_db(const Echo& echo, FocusOptions options, std::optional<Chain> chain) {
        options.lowering.chain = chain;
        FocusSetup setup;
        const Image image = focused(*device, echo, options, &setup);
        if (chain) {
            EXPECT_EQ(setup.memory.lowering.chain, *chain);
        }
        options.lowering = {.fft_lengths = setup.memory.lowering.fft_lengths};
        const auto reference = open_device("cpu-double", 2);
        return signal_to_error_db(image.samples, focused(*reference, echo, options).samples);
    }

    bool has(Chain chain) {
        const std::vector<Chain> chains = device->bench().chains();
        return std::find(chains.begin(), chains.end(), chain) != chains.end();
    }
    bool has_fused() { return has(Chain::fused); }
};
INSTANTIATE_TEST_SUITE_P(Devices, Chains, every_device(), device_name);

TEST_P(Chains, EveryOneGivesTheImageOfDoublePrecision) {
    for (const double centroid_hz : {0.0, -2300.0}) {
        SCOPED_TRACE(centroid_hz);
        const Echo echo = simulate(c_band_scene(centroid_hz));
        for (const int taps : {8, 16})
            for (const ImageExtent extent : {ImageExtent::full, ImageExtent::valid})
                for (const Chain chain : {Chain::plain, Chain::fused, Chain::turn_free}) {
                    if (!has(chain)) continue;
                    FocusOptions options;
                    options.interpolation_taps = taps;
                    options.extent = extent;
                    options.azimuth_bandwidth_hz = 400;
                    EXPECT_GT(against_double_db(echo, options, chain), 100)
                        << name_of(chain) << ", " << taps << " taps, " << name_of(extent);
                }
    }
}

TEST_P(Chains, HalvesBetweenThePassesCostThePrecisionThatTheyShould) {
    FocusOptions options;
    options.lowering.precision = Precision::half_middle;
    for (const SampleFormat format : {SampleFormat::int8, SampleFormat::int16, SampleFormat::complex64}) {
        Scene scene = c_band_scene();
        scene.sample_type = format;
        const Echo echo = simulate(scene);
        if (!has_fused()) {
            EXPECT_THROW(focused(*device, echo, options), Unsupported);
            continue;
        }
        const double db = against_double_db(echo, options, std::nullopt);
        EXPECT_GT(db, least_signal_to_error_db(Precision::half_middle));
        EXPECT_LT(db, 80) << "these were no halves";
        options.lowering.chain = Chain::fused;
        EXPECT_THROW(focused(*device, echo, options), Unsupported);
        options.lowering.chain.reset();
    }
}

/// Every kind of columns, whose kernels depend on the shared memory, and storages that hold the wider of both.
TEST_P(Chains, TurnFreeIntoAnImageWiderThanTheEcho) {
    if (!is_float()) GTEST_SKIP() << "halves the size of its samples";
    constexpr std::int64_t cells = 250;
    for (const std::int64_t length : {2048, 8192, 10240, 12288, 16384, 20480, 24576, 32768}) {
        SCOPED_TRACE(length);
        const std::int64_t lines = length - 77;
        HyperbolicGather gather = azimuth_pass(8, length, 300, 0);
        gather.input_cells = cells;
        const Steps steps{{"corner_turn", "range", "line", CornerTurn{lines, cells}},
                          {"azimuth_spectrum", "range", "azimuth_frequency", AzimuthSpectrum{cells, lines, length}},
                          {"azimuth_compression", "slant_range", "zero_doppler_time", gather.pass()},
                          {"image", "zero_doppler_time", "slant_range", CornerTurn{gather.columns, gather.image_rows}}};
        const std::vector<Complex64> in = as_floats(noise(lines * cells));
        const auto run_by = [&](Chain chain) {
            StepRunner runner(*device, {.least = {}, .steps = [&](const FftLengths&) { return steps; }},
                              {.chain = chain, .fft_lengths = FftLengths{1, length}});
            Matrix echo = runner.storage_for_input(lines, cells);
            device->upload(std::as_bytes(std::span(in)), echo);
            return get(runner.run_native(echo));
        };
        EXPECT_LT(relative_error(run_by(Chain::turn_free), run_by(Chain::plain)), 2 * stepped_tolerance);
    }
}

TEST_P(Chains, ThePlannerTakesTheCheapest) {
    const Echo echo = simulate(c_band_scene());
    FocusSetup setup;
    focused(*device, echo, {}, &setup);
    EXPECT_EQ(setup.memory.lowering.chain, has_fused() ? Chain::turn_free : Chain::plain);
    EXPECT_TRUE(setup.memory.lowering.not_taken.empty());
}

TEST_P(Chains, WhatATurnFreeChainCannotDoIsSaid) {
    if (!has_fused()) GTEST_SKIP() << "a CPU can do it all";
    const Echo echo = simulate(c_band_scene());
    FocusOptions options;
    options.interpolation_taps = 12;
    FocusSetup setup;
    focused(*device, echo, options, &setup);
    EXPECT_EQ(setup.memory.lowering.chain, Chain::fused);
    ASSERT_EQ(setup.memory.lowering.not_taken.size(), 1u);
    expect_in(setup.memory.lowering.not_taken[0], "taps");
    options.lowering.chain = Chain::turn_free;
    EXPECT_THROW(focused(*device, echo, options), Unsupported);

    options = {};
    options.lowering.corner_turn = CornerTurnVariant::naive;
    focused(*device, echo, options, &setup);
    EXPECT_EQ(setup.memory.lowering.chain, Chain::fused) << "a corner turn was asked for";
}

TEST_P(Chains, AChainThatTheDeviceLacksIsRefused) {
    if (has_fused()) GTEST_SKIP() << "this device has all";
    FocusOptions options;
    options.lowering.chain = Chain::fused;
    EXPECT_THROW(focused(*device, simulate(c_band_scene()), options), InputError);
}

TEST_P(Chains, ARecordedChainGivesTheSameBits) {
    const Echo echo = simulate(c_band_scene());
    FocusSetup setup = set_up_focus(*device, echo.acquisition, {});
    StepRunner runner(*device, range_doppler(echo.acquisition, setup.image).algorithm);
    const Matrix samples =
        put_as(echo.acquisition.lines, echo.acquisition.samples, echo.acquisition.format, echo.samples);
    const Matrix image = runner.run(samples);
    Matrix first = device->allocate(image.format, image.rows, image.columns);
    device->bench().copy(image, first);
    const auto recording = runner.record(samples);
    for (int frame = 0; frame < 2; ++frame) {
        recording->replay();
        EXPECT_EQ(device->bench().count_differences(first, runner.result(), false), 0) << frame;
    }
}

TEST(ChainNames, AreReadBack) {
    EXPECT_EQ(chain_named("auto"), std::nullopt);
    for (const Chain chain : {Chain::plain, Chain::fused, Chain::turn_free})
        EXPECT_EQ(chain_named(name_of(chain)), chain);
    EXPECT_THROW(chain_named("fast"), InputError);
}

}  // namespace
}  // namespace cornerturn
