// SPDX-License-Identifier: Apache-2.0
// Runs that are broken off after some azimuth blocks, and others that go on with what they left.
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/errors.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/kept_frames.h"
#include "tests/pipeline/run/streamed_echo.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

/// Some blocks long, with noise, so that no sample is like another.
Echo long_echo(const std::string& polarization, std::uint64_t seed) {
    Scene scene = small_scene(900, 311);
    scene.chirp_duration_s = 1e-6;
    scene.noise_db = 0;
    scene.seed = seed;
    scene.targets = {{SceneTarget{BeamCentrePosition{450.3, 60.4}, 20.0, 40.0}}};
    Echo echo = simulate(scene);
    echo.acquisition.polarization = polarization;
    return echo;
}

class Resume : public EveryDevice {
protected:
    /// Ends after so many blocks.
    std::vector<FocusReport> run(FramesOverRuns& sink, const FocusOptions& options, int blocks = 1000) {
        sources_ = std::vector<StreamedEcho>(echoes_.begin(), echoes_.end());
        std::vector<EchoSource*> frames;
        for (StreamedEcho& source : sources_) frames.push_back(&source);
        sink.begin_run();
        sink.at_block = [left = blocks]() mutable {
            if (--left == 0) throw Interrupted();
        };
        return focus_frames(*device, frames, options, sink);
    }
    std::int64_t lines_read() const {
        return std::accumulate(sources_.begin(), sources_.end(), std::int64_t{0},
                               [](auto sum, const auto& s) { return sum + s.lines_read; });
    }

    std::vector<Echo> echoes_{long_echo("HH", 1), long_echo("HV", 2)};
    std::vector<StreamedEcho> sources_;
};
INSTANTIATE_TEST_SUITE_P(Devices, Resume, every_device(), device_name);

TEST_P(Resume, GivesTheSameBitsWhereverItWasBrokenOff) {
    FocusOptions options;
    options.memory.block_rows = 271;
    options.doppler_from = ParameterSource::data;  // from the data, in each run anew
    FramesOverRuns whole;
    const auto blocks = static_cast<int>(run(whole, options).front().setup.memory.blocks.size());
    ASSERT_EQ(blocks, 4);
    const std::int64_t lines_of_all = lines_read();
    for (int k = 1; k <= 2 * blocks; ++k) {
        SCOPED_TRACE(k);
        FramesOverRuns sink;
        EXPECT_THROW(run(sink, options, k), Interrupted);
        const auto reports = run(sink, options);
        for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(sink[i] == whole[i]) << i;
        EXPECT_LT(lines_read(), lines_of_all) << "blocks that are there are not read";
        EXPECT_EQ(reports.size(), 2u);
    }
}

TEST_P(Resume, EachFrameHasBlocksOfItsOwn) {
    FocusOptions options;
    options.block_rows_of_frames = {301, 500};
    FramesOverRuns sink;
    const auto reports = run(sink, options);
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_EQ(reports[i].setup.memory.blocks.front().rows, options.block_rows_of_frames[i])
            << "the first of several";
}

TEST_P(Resume, ManyTimesComesToAnEnd) {
    FocusOptions options;
    options.memory.block_rows = 400;
    FramesOverRuns whole, sink;
    const auto blocks = static_cast<int>(2 * run(whole, options).front().setup.memory.blocks.size());
    for (int k = 0; k < blocks; ++k) EXPECT_THROW(run(sink, options, 1), Interrupted);
    run(sink, options);
    EXPECT_EQ(lines_read(), std::min<std::int64_t>(lines_read(), 2 * 256)) << "but for the Doppler estimate";
    EXPECT_TRUE(sink[1] == whole[1]);
}

}  // namespace
}  // namespace cornerturn
