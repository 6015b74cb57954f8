// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/data_estimates.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/device/device.h"
#include "pipeline/echo/forwarded_echo.h"
#include "pipeline/plan/range_bandwidth.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/formers/focused_scene.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/on_cpu.h"

namespace cornerturn {
namespace {

/// Knows how many of its lines were read.
class CountedEcho final : public ForwardedEcho {
public:
    explicit CountedEcho(EchoSource& source) : ForwardedEcho(source, source.acquisition()) {}
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        lines_read += lines;
        source_.read(first_line, lines, to);
    }
    std::int64_t lines_read = 0;
};

/// 100 MHz hold the chirp's 72 MHz, but not the 114 MHz of the image; nothing but the data tells the centroid.
Echo squinted_echo() {
    Scene scene = small_scene(1403, 431);
    scene.doppler_centroid_hz = 1370;
    scene.targets = {{SceneTarget{BeamCentrePosition{501.7, 100.4}, 20.0, 40.0},
                      SceneTarget{BeamCentrePosition{801.2, 230.9}, 20.0, 90.0}}};
    Echo echo = simulate(scene);
    echo.acquisition.doppler_centroid_hz.reset();
    return echo;
}

FocusOptions from_data() {
    FocusOptions options = by("auto");
    options.doppler_from = ParameterSource::data;
    return options;
}

TEST(DataEstimates, AreMadeBeforeItIsDecidedWhetherTheEchoIsResampled) {
    const Echo echo = squinted_echo();
    EchoInMemory recorded(echo);
    const FocusOptions options = with_estimates(recorded, from_data(), on_cpu());
    ASSERT_TRUE(options.estimates.doppler);
    EXPECT_FALSE(options.estimates.velocity);
    const auto finer = on_finer_samples(recorded, options, 1);
    ASSERT_TRUE(finer);
    CountedEcho counted(*finer);
    EchoSource* const frame = &counted;
    ImageInMemory sink;
    const auto reports = focus_frames(*open_device("cpu"), std::span(&frame, 1), options, sink);
    EXPECT_EQ(counted.lines_read, echo.acquisition.lines) << "for the image, and not once more for an estimate";
    const FocusSetup& setup = reports.front().setup;
    EXPECT_NEAR(setup.doppler.centroid_hz, 1370, 20);
    EXPECT_EQ(setup.doppler.origin, DopplerOrigin::estimate);
    EXPECT_EQ(setup.doppler.source, doppler_by(echo.acquisition, options, 0.0).source)
        << "told as by the echo recorded";
    expect_focused(sink.image, {.position_px = 0.005, .width = 0.02, .phase_deg = 2});
}

TEST(DataEstimates, HoldTheVelocityToo) {
    Scene ground = small_scene(1024, 640);
    ground.targets.emplace();
    ground.clutter = {{.first_line = -200,
                       .last_line = 1224,
                       .first_sample = -150,
                       .last_sample = 640,
                       .scatterers = 400,
                       .power_db = 0}};
    const Echo echo = simulate(ground);
    EchoInMemory source(echo);
    CountedEcho counted(source);
    FocusOptions wanted;
    wanted.velocity_from = ParameterSource::data;
    const FocusOptions options = with_estimates(counted, wanted, on_cpu());
    ASSERT_TRUE(options.estimates.velocity);
    EXPECT_FALSE(options.estimates.doppler) << "the file has the centroid";
    EXPECT_NEAR(options.estimates.velocity->velocity_m_s, 120, 1);
    const std::int64_t asked = counted.lines_read;
    EXPECT_GT(asked, 0);
    EXPECT_EQ(with_estimates(counted, options, on_cpu()).estimates.velocity->velocity_m_s,
              options.estimates.velocity->velocity_m_s);
    EXPECT_EQ(counted.lines_read, asked) << "nothing is asked twice";
    EXPECT_EQ(set_up_focus(*open_device("cpu"), echo.acquisition, options).velocity_source.substr(0, 4), "data");
    EXPECT_THROW(set_up_focus(*open_device("cpu"), echo.acquisition, wanted), std::logic_error);
}

TEST(DataEstimates, AreNotMadeWhereTheFileTells) {
    const Echo echo = simulate(one_target());
    EchoInMemory source(echo);
    CountedEcho counted(source);
    const FocusOptions options = with_estimates(counted, {}, on_cpu());
    EXPECT_FALSE(options.estimates.doppler || options.estimates.velocity);
    EXPECT_EQ(counted.lines_read, 0);
}

TEST(DataEstimates, OfTheFirstFrameGoOnForOthersByTheirCarriers) {
    const Echo echo = squinted_echo();
    EchoInMemory source(echo);
    const FocusOptions options = with_estimates(source, from_data(), on_cpu());
    const DopplerChoice of_first = doppler_by(echo.acquisition, options, 0.0);
    Acquisition higher = echo.acquisition;
    higher.carrier_hz *= 1.02;
    const FocusOptions beside = options_beside(echo.acquisition, of_first, higher, options);
    EXPECT_NEAR(doppler_by(higher, beside, 0.0).centroid_hz, 1.02 * of_first.centroid_hz, 1e-9);
    EXPECT_GT(range_bandwidths_of_image(higher, beside).value().illuminated_hz, higher.sample_rate_hz());
}

}  // namespace
}  // namespace cornerturn
