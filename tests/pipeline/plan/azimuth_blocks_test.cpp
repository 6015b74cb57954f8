// SPDX-License-Identifier: Apache-2.0
// A scene in azimuth blocks against the same scene as a whole, and how many blocks a memory is cut into.
#include "pipeline/plan/azimuth_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/errors.h"
#include "pipeline/acquisition/track/velocity.h"
#include "pipeline/echo/echo_part.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/run/streamed_echo.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// X band from an aircraft, noise all over; an aperture is some 230 lines long.
Scene long_scene() {
    Scene scene = small_scene(2003, 431);
    scene.noise_db = 0;
    scene.targets = {{SceneTarget{BeamCentrePosition{30.3, 100.4}, 20.0, 40.0},
                      SceneTarget{BeamCentrePosition{1001.7, 60.1}, 20.0, 0.0},
                      SceneTarget{BeamCentrePosition{1960.5, 150.9}, 20.0, 90.0}}};
    return scene;
}

/// Keeps the last image and sees to it that each row comes once, in order.
class RowsInOrder final : public ImageSink {
public:
    void begin(const Image& header) override {
        memory.begin(header);
        next = 0;
    }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        EXPECT_EQ(first_row, next);
        next += static_cast<std::int64_t>(rows.size()) / memory.image.grid.columns;
        memory.write(first_row, rows);
    }
    ImageInMemory memory;
    std::int64_t next = 0;
};

struct Focused {
    Image image;
    FocusReport report;
};

Focused run(Device& device, const Echo& echo, FocusOptions options, std::optional<std::int64_t> block_rows) {
    options.memory.block_rows = block_rows;
    StreamedEcho source(echo);
    EchoSource* const frame = &source;
    RowsInOrder sink;
    auto reports = focus_frames(device, std::span(&frame, 1), options, sink);
    EXPECT_EQ(sink.next, sink.memory.image.grid.rows);
    return {std::move(sink.memory.image), std::move(reports.front())};
}

class AzimuthBlocks : public EveryDevice {
protected:
    /// Blocks of several sizes, none of which divides the rows.
    void expect_like_whole(const Echo& echo, const FocusOptions& options) {
        const Focused whole = run(*device, echo, options, {});
        ASSERT_EQ(whole.report.setup.memory.blocks.size(), 1u);
        const std::int64_t rows = whole.image.grid.rows;
        // How rows are cut is the same in double precision: two sizes show that blocks join there too.
        const std::vector<std::int64_t> sizes = is_float() ? std::vector<std::int64_t>{rows - 1, rows / 2 + 1, 301, 97}
                                                           : std::vector<std::int64_t>{rows - 1, 301};
        for (const std::int64_t size : sizes) {
            SCOPED_TRACE(size);
            const Focused blocked = run(*device, echo, options, size);
            EXPECT_EQ(static_cast<std::int64_t>(blocked.report.setup.memory.blocks.size()), (rows + size - 1) / size);
            EXPECT_EQ(blocked.image.grid, whole.image.grid);
            EXPECT_EQ(blocked.image.valid_columns, whole.image.valid_columns);
            EXPECT_EQ(blocked.report.non_finite_samples, whole.report.non_finite_samples);
            EXPECT_GE(signal_to_error_db(blocked.image.samples, whole.image.samples), 100);
            // Nor does one block hide behind the others. Presumably steps at the ends of the migration's kernel, over
            // Doppler frequencies, spread along azimuth without an end: rows that hold little else keep less of a
            // distance.
            constexpr double least_anywhere_db = 70;
            for (const AzimuthBlock& block : blocked.report.setup.memory.blocks) {
                const auto part = [&](const Image& image) {
                    return std::span(image.samples)
                        .subspan(static_cast<std::size_t>(block.first_row * image.grid.columns),
                                 static_cast<std::size_t>(block.rows * image.grid.columns));
                };
                const double db = signal_to_error_db(part(blocked.image), part(whole.image));
                if (db < least_anywhere_db) ADD_FAILURE() << "rows from " << block.first_row << ": " << db << " dB";
            }
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Devices, AzimuthBlocks, every_device(), device_name);

TEST_P(AzimuthBlocks, GiveTheWholeImageAtBroadside) { expect_like_whole(simulate(long_scene()), {}); }

TEST_P(AzimuthBlocks, GiveTheWholeImageOfValidExtent) {
    FocusOptions options;
    options.extent = ImageExtent::valid;
    expect_like_whole(simulate(long_scene()), options);
}

/// Doppler beyond the PRF either way; beam centres of near and far range lie hundreds of lines apart.
TEST_P(AzimuthBlocks, GiveTheWholeImageUnderSquint) {
    for (const double doppler_hz : {-1530.0, 1370.0})
        for (const ImageExtent extent : {ImageExtent::full, ImageExtent::valid}) {
            SCOPED_TRACE(doppler_hz);
            Scene scene = long_scene();
            scene.doppler_centroid_hz = doppler_hz;
            scene.sample_rate_hz = 125e6;  // of an image that squint gives a spectrum of 119 MHz
            FocusOptions options;
            options.extent = extent;
            expect_like_whole(simulate(scene), options);
        }
}

TEST_P(AzimuthBlocks, GiveTheWholeImageWithTheWholePrfProcessed) {
    FocusOptions options;
    options.azimuth_bandwidth_hz = 400;
    expect_like_whole(simulate(long_scene()), options);
}

/// So long an aperture that the fading edge of its band alone is longer than the ends of a filter: 2500 lines times
/// 0.95 of the PRF.
TEST_P(AzimuthBlocks, GiveTheWholeImageOfLongApertures) {
    Scene scene = long_scene();
    scene.lines = 6000;
    scene.samples = 250;
    scene.near_range_m = 30000;
    scene.azimuth_bandwidth_hz = 200;
    scene.targets = {{SceneTarget{BeamCentrePosition{3001.7, 30.1}, 20.0, 0.0}}};
    FocusOptions options;
    options.azimuth_bandwidth_hz = 320;
    options.force = true;  // blocks far shorter than the aperture, each line in 39 of them
    expect_like_whole(simulate(scene), options);
}

TEST_P(AzimuthBlocks, GiveTheWholeImageWithCouplingInTwoDimensions) {
    Scene scene = long_scene();
    scene.carrier_hz = 1.2e9;
    scene.prf_hz = 200;
    scene.azimuth_bandwidth_hz = 120;
    scene.doppler_centroid_hz = 260;
    const Echo echo = simulate(scene);
    FocusOptions options;
    options.azimuth_bandwidth_hz = 120;
    options.range_window = Window::parse("kaiser:2.5");
    options.azimuth_window = Window::parse("hamming");
    options.force = true;  // too wide a swath for what is taken away, but blocks are to be like the whole all the same
    bool two_dimensional = false;
    for (const auto& step : run(*device, echo, options, {}).report.stages)
        two_dimensional |= step.name == "secondary_range_compression";
    EXPECT_TRUE(two_dimensional) << "or the scene is not what this test is for";
    expect_like_whole(echo, options);
}

/// What differs from line to line has to follow its lines into the blocks; what is not finite is counted once though
/// lines overlap.
TEST_P(AzimuthBlocks, TakeTheirLinesOfEveryTable) {
    Scene scene = long_scene();
    scene.doppler_centroid_hz = 700;
    Echo echo = simulate(scene);
    Acquisition& acquisition = echo.acquisition;
    auto* values = reinterpret_cast<float*>(echo.samples.data());
    std::mt19937 generator(7);
    for (int i = 0; i < 500; ++i)
        values[generator() % (echo.samples.size() / sizeof(float))] = std::numeric_limits<float>::quiet_NaN();
    EchoDecoding& decoding = acquisition.decoding;
    decoding.intervals_per_line = 2;
    for (std::int32_t line = 0; line < acquisition.lines; ++line) {
        decoding.line_gain.push_back(1 + 0.5f * static_cast<float>(std::sin(0.05 * line)));
        const std::int32_t gap = 100 + line % 250;
        decoding.valid_samples.push_back({0, gap});
        decoding.valid_samples.push_back({gap + 20, 431});
    }
    expect_like_whole(echo, {});
}

TEST_P(AzimuthBlocks, OfSeveralFramesComeFrameByFrame) {
    Echo first = simulate(long_scene());
    Echo second = first;
    second.acquisition.polarization = "HV";
    second.acquisition.decoding.line_gain.assign(static_cast<std::size_t>(second.acquisition.lines), 0.5f);
    StreamedEcho sources[] = {StreamedEcho(first), StreamedEcho(second)};
    EchoSource* const frames[] = {&sources[0], &sources[1]};
    FocusOptions options;
    options.memory.block_rows = 500;
    options.doppler_from = ParameterSource::data;
    options.azimuth_bandwidth_hz = 180;
    options.force = true;  // short apertures, so the beam is not all; of no matter here
    RowsInOrder sink;
    const auto reports = focus_frames(*device, frames, options, sink);
    options.doppler_centroid_hz = reports[0].setup.doppler.centroid_hz;
    options.doppler_from = ParameterSource::automatic;
    EXPECT_GE(signal_to_error_db(sink.memory.image.samples, run(*device, second, options, {}).image.samples), 100);
    EXPECT_GT(reports[0].setup.memory.blocks.size(), 3u);
    EXPECT_EQ(reports[1].setup.memory.blocks.size(), reports[0].setup.memory.blocks.size());
}

TEST_P(AzimuthBlocks, StartTheirSlicesAtTheirFirstLine) {
    const Echo echo = numbered_echo(50, 3);
    EchoInMemory memory(echo);
    EchoSlice slice(memory, 20, 10);
    EXPECT_EQ(slice.acquisition().lines, 10);
    std::vector<std::byte> line(6);
    slice.read(4, 1, line);
    EXPECT_TRUE(std::equal(line.begin(), line.end(), echo.samples.begin() + 24 * 6));
}

class MemoryPlans : public EveryDevice {
protected:
    MemoryPlan plan(const MemoryWish& wish, std::int64_t lines = 40000) {
        Acquisition acquisition = describe(long_scene());
        acquisition.lines = lines;
        acquisition.samples = 2000;
        acquisition.orbit.reset();
        FocusOptions options;
        options.memory = wish;
        return set_up_focus(*device, acquisition, options).memory;
    }
};
INSTANTIATE_TEST_SUITE_P(Devices, MemoryPlans, every_device(), device_name);

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST_P(MemoryPlans, AreOneBlockWhereItFits) {
    const MemoryPlan whole = plan({});
    ASSERT_EQ(whole.blocks.size(), 1u);
    EXPECT_EQ(whole.blocks[0].first_line, 0);
    EXPECT_EQ(whole.blocks[0].lines, 40000);
    EXPECT_EQ(plan({.most_bytes = whole.needed_bytes + 1024 * mebibyte, .block_rows = {}}).blocks.size(), 1u);
}

TEST_P(MemoryPlans, StayBelowWhatIsAllowed) {
    std::size_t rows = std::numeric_limits<std::size_t>::max();
    for (const std::size_t most : {2000, 1200, 700, 500, 400}) {
        SCOPED_TRACE(most);
        const MemoryPlan small = plan({.most_bytes = most * mebibyte, .block_rows = {}});
        EXPECT_LE(small.needed_bytes, small.budget_bytes);
        EXPECT_LE(small.budget_bytes, most * mebibyte);
        EXPECT_LE(static_cast<std::size_t>(small.blocks[0].rows), rows) << "less memory, larger blocks?";
        rows = static_cast<std::size_t>(small.blocks[0].rows);
        // Most of what is there is used.
        if (small.blocks.size() > 1) {
            EXPECT_GT(static_cast<double>(small.needed_bytes), 0.85 * static_cast<double>(small.budget_bytes));
        }
    }
    EXPECT_LT(rows, 40000u);
}

/// Blocks are as large for ten times as many lines.
TEST_P(MemoryPlans, DoNotGrowWithTheLength) {
    const MemoryWish wish{.most_bytes = 600 * mebibyte, .block_rows = {}};
    const MemoryPlan once = plan(wish), often = plan(wish, 400000);
    EXPECT_NEAR(static_cast<double>(once.blocks[0].rows), static_cast<double>(often.blocks[0].rows),
                0.05 * static_cast<double>(once.blocks[0].rows));
}

/// Each thread of a CPU works in lines of its own, which are long.
TEST(MemoryPlansOfCpus, CountTheLinesOfEachThread) {
    const Acquisition acquisition = describe(long_scene());
    const auto needed = [&](int threads) { return set_up_focus(*open_device("cpu", threads), acquisition, {}).memory; };
    const MemoryPlan one = needed(1), hundred = needed(101);
    const auto lines = static_cast<std::size_t>(17 * one.lowering.fft_lengths.azimuth);
    EXPECT_GE(hundred.needed_bytes - one.needed_bytes, 100 * lines * 8);
}

TEST_P(MemoryPlans, RefuseWhatNoBlockFitsInto) {
    expect_refused([&] { plan({.most_bytes = mebibyte, .block_rows = {}}); },
                   {"2000 samples", "MiB", "--max-memory", device->info().name.c_str()});
}

/// They would do the work of a day over and over.
TEST_P(MemoryPlans, RefuseBlocksOfASingleRow) {
    expect_refused([&] { plan({.most_bytes = {}, .block_rows = 1}, 4000); },
                   {"--block-rows 1", "4", "times", "rows or more"});
    EXPECT_EQ(plan({.most_bytes = {}, .block_rows = 64}, 4000).blocks.front().rows, 64);
}

TEST_P(MemoryPlans, CoverEveryRowOnceWithLinesOfTheEcho) {
    const MemoryPlan small = plan({.most_bytes = {}, .block_rows = 777});
    std::int64_t row = 0;
    for (const AzimuthBlock& block : small.blocks) {
        EXPECT_EQ(block.first_row, row);
        EXPECT_GE(block.first_line, 0);
        EXPECT_GE(block.lines, 1);
        EXPECT_LE(block.first_line + block.lines, 40000);
        row += block.rows;
    }
    EXPECT_GE(row, 40000);
    EXPECT_TRUE(small.blocks.front().at_edge && small.blocks.back().at_edge);
    EXPECT_FALSE(small.blocks[2].at_edge);
}

/// Under 18.5 degrees of yaw from an orbit ranges drift by 0.2 m along a few hundred rows: blocks of 4 rows hold that.
TEST(AzimuthBlocks, SoShortThatLinesAreProcessedOverAndOverAreToldOf) {
    Scene scene = squinted_scene(18.5, 200, 500);
    scene.carrier_hz = 2.06e9;
    scene.prf_hz = 413;
    scene.azimuth_bandwidth_hz = 368;
    scene.sample_rate_hz = 136e6;
    scene.chirp_slope_hz_s = -58.3e12;
    scene.chirp_duration_s = 1.56e-6;
    scene.near_range_m = 1109518;
    std::get<KeplerOrbit>(scene.orbit) = {735e3, 0.0011, 98, -147, 90, 176};
    scene.noise_db = 0;
    scene.targets.emplace();
    FocusOptions options = by("omegak");
    options.azimuth_bandwidth_hz = 368;  // half of a point's spectrum lies beyond: made where somebody asks for it
    const FocusSetup setup = set_up_focus(*open_device("cpu", 2), describe(scene), options);
    EXPECT_GT(setup.memory.blocks.size(), 32u);
    EXPECT_TRUE(std::any_of(setup.warnings.begin(), setup.warnings.end(), [](const std::string& warning) {
        return warning.find("in which each line is processed") != std::string::npos;
    }));
}

}  // namespace
}  // namespace cornerturn
