// SPDX-License-Identifier: Apache-2.0
// One frame of one block over ranks gives the image of one process.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <limits>

#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/ranks/focus_over_ranks.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/pipeline/ranks/thread_ranks.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/forwarding_device.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

using DeviceMaker = std::function<std::unique_ptr<Device>()>;

std::unique_ptr<Device> one_thread() { return open_device("cpu", 1); }

/// A CPU that says it has memory of its own, as GPUs have.
class MemoryOfItsOwn final : public ForwardingDevice {
public:
    using ForwardingDevice::ForwardingDevice;
    DeviceInfo info() const override {
        DeviceInfo info = ForwardingDevice::info();
        info.shares_host_memory = false;
        return info;
    }
};

/// All of it noise: any sample that is missing or at the wrong place shows.
Echo noise_of(Scene scene) {
    scene.targets = std::vector<SceneTarget>{};
    scene.noise_db = 0;
    return simulate(scene);
}

/// Notes where they were sent to, and may fail on the way.
class Written final : public ImageSink {
public:
    void begin(const Image& header) override { memory.begin(header); }
    std::int64_t rows_there() const override { return there; }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        EXPECT_EQ(first_row, next_) << "in order";
        next_ += static_cast<std::int64_t>(rows.size()) / memory.image.grid.columns;
        if (fails) throw DeviceError("slc.h5: no space left on the disk");
        memory.write(first_row, rows);
    }
    void block_done() override { ++blocks; }

    ImageInMemory memory;
    std::int64_t there = 0;
    int blocks = 0;
    bool fails = false;

private:
    std::int64_t next_ = 0;
};

class FrameOverRanks : public testing::Test {
protected:
    FrameOverRanks() {
        options.memory.block_rows = std::int64_t{1} << 20;  // all
    }

    using SourceMaker = std::function<std::unique_ptr<EchoSource>(const Echo& echo, int rank)>;
    static std::unique_ptr<EchoSource> in_memory(const Echo& echo, int) { return std::make_unique<EchoInMemory>(echo); }

    SharedReports focus(int ranks, const Echo& echo, const DeviceMaker& device_of_rank = one_thread,
                        const SourceMaker& source_of_rank = in_memory) {
        SharedReports of_first;
        on_ranks(ranks, [&](Ranks& own) {
            const auto device = device_of_rank();
            const auto source = source_of_rank(echo, own.rank());
            EchoSource* const frame = source.get();
            const GatheredJob gathered{.file = written,
                                       .planned = [&](auto) { return std::vector<std::int64_t>{written.there}; },
                                       .interrupted = [&] { ++interrupted; }};
            try {
                SharedReports reports =
                    focus_over_ranks(own, *device, std::span(&frame, 1), options, own.leads() ? &gathered : nullptr);
                if (own.leads()) of_first = std::move(reports);
            } catch (const DeviceError& error) {
                EXPECT_EQ(error.what(), failure);
                ++failed;
            }
        });
        return of_first;
    }
    std::vector<std::complex<float>> image_of(int ranks, const Echo& echo,
                                              const DeviceMaker& device_of_rank = one_thread) {
        written = {};
        const SharedReports reports = focus(ranks, echo, device_of_rank);
        EXPECT_EQ(reports.frames.at(0).setup.memory.slabs, ranks);
        EXPECT_EQ(written.blocks, 1);
        return written.memory.image.samples;
    }
    void expect_same_image(const Echo& echo, double least_db) {
        const auto alone = image_of(1, echo);
        for (const int ranks : {2, 3, 7}) {
            const auto once = image_of(ranks, echo);
            EXPECT_GE(signal_to_error_db(once, alone), least_db) << ranks << " ranks";
            // The more ranks, the more orders that their messages may come in.
            if (ranks == 7) {
                EXPECT_TRUE(once == image_of(ranks, echo)) << "bit for bit";
            }
        }
    }

    FocusOptions options;
    Written written;
    std::string failure;
    std::atomic<int> failed{0}, interrupted{0};
};

TEST_F(FrameOverRanks, IsTheImageOfOneProcess) {
    Scene scene = small_scene(411, 903);
    scene.sample_type = SampleFormat::int16;
    expect_same_image(noise_of(scene), 120);
}

/// Along a curved orbit, squinted: phases are taken off lines and image. Gaps and gains go with their lines.
TEST_F(FrameOverRanks, FollowsSquintGapsAndGains) {
    Echo echo = noise_of(squinted_scene(0.3, 900, 801));
    for (std::int64_t line = 0; line < 900; ++line) {
        echo.acquisition.decoding.line_gain.push_back(1.0f + 0.01f * static_cast<float>(line % 100));
        const auto gap = static_cast<std::int32_t>(line % 300);
        echo.acquisition.decoding.valid_samples.push_back({0, gap});
        echo.acquisition.decoding.valid_samples.push_back({gap + 20, 801});
    }
    echo.acquisition.decoding.intervals_per_line = 2;
    const auto alone = image_of(1, echo);
    EXPECT_GE(signal_to_error_db(image_of(3, echo), alone), 110);
}

/// More ranks than lines or columns to share: some have nothing to do.
TEST_F(FrameOverRanks, LeavesSomeWithoutWork) {
    Scene scene = small_scene(5, 205);
    scene.azimuth_bandwidth_hz = 100;
    const Echo echo = noise_of(scene);
    const auto alone = image_of(1, echo);
    EXPECT_GE(signal_to_error_db(image_of(7, echo), alone), 120);
}

TEST_F(FrameOverRanks, GoesThroughMemoryOfDevices) {
    const Echo echo = noise_of(small_scene(411, 803));
    const auto staged = image_of(3, echo, [] { return std::make_unique<MemoryOfItsOwn>(one_thread()); });
    EXPECT_TRUE(staged == image_of(3, echo));
    const auto alone = image_of(1, echo, [] { return open_device("cpu-double", 1); });
    EXPECT_GE(signal_to_error_db(image_of(2, echo, [] { return open_device("cpu-double", 1); }), alone), 140);
}

/// Many messages a strip, strips of several ranks, rows in several bunches.
TEST_F(FrameOverRanks, ComesInManyPieces) {
    Scene scene = small_scene(3000, 1800);
    scene.sample_type = SampleFormat::complex64;
    Echo echo = noise_of(scene);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t line : {10, 1499, 1500, 1501, 2999})
        std::memcpy(echo.samples.data() + (line * 1800 + 7) * 8, &nan, 4);
    const auto alone = image_of(1, echo);
    written = {};
    const SharedReports reports = focus(2, echo);
    EXPECT_GE(signal_to_error_db(written.memory.image.samples, alone), 120);
    EXPECT_EQ(reports.frames[0].non_finite_samples, 5) << "of all ranks";
    EXPECT_EQ(reports.frames[0].warnings.size(), 1u) << reports.frames[0].warnings.back();
    ASSERT_EQ(reports.ranks.size(), 2u);
    for (const RankWork& rank : reports.ranks) {
        EXPECT_EQ(rank.blocks, 1);
        EXPECT_GT(rank.compute_s, 0);
        EXPECT_GE(rank.wall_s, rank.compute_s);
    }
}

TEST_F(FrameOverRanks, IsNotMadeAgain) {
    const Echo echo = noise_of(small_scene(300, 400));
    written.there = 300;
    const SharedReports reports = focus(2, echo);
    EXPECT_EQ(written.blocks, 0);
    EXPECT_EQ(reports.ranks.at(1).blocks, 0);
}

/// Of which a line cannot be read.
class EchoThatBreaks final : public EchoSource {
public:
    EchoThatBreaks(const Echo& echo, std::int64_t line) : echo_(echo), line_(line) {}
    const Acquisition& acquisition() const override { return echo_.acquisition(); }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        if (first_line <= line_ && line_ < first_line + lines) throw DeviceError("raw.h5: cannot be read");
        echo_.read(first_line, lines, to);
    }

private:
    EchoInMemory echo_;
    std::int64_t line_;
};

TEST_F(FrameOverRanks, AFailureOnOneRankIsThatOfAll) {
    const Echo echo = noise_of(small_scene(2000, 900));
    failure = "rank 2 (here): raw.h5: cannot be read";
    focus(3, echo, one_thread, [](const Echo& of, int) { return std::make_unique<EchoThatBreaks>(of, 1900); });
    EXPECT_EQ(failed, 3);
    EXPECT_EQ(interrupted, 1) << "what was begun is to be taken away at once";
    EXPECT_EQ(written.blocks, 0);
}

TEST_F(FrameOverRanks, AFullDiskIsThatOfAll) {
    const Echo echo = noise_of(small_scene(2000, 900));
    failure = "slc.h5: no space left on the disk";
    written.fails = true;
    focus(3, echo);
    EXPECT_EQ(failed, 3);
    EXPECT_EQ(written.blocks, 0);
}

TEST_F(FrameOverRanks, WhereItDoesNotGoOneRankDoesIt) {
    const Echo echo = noise_of(small_scene(300, 400));
    options.algorithm = "csa";
    focus(1, echo);
    const auto alone = written.memory.image.samples;
    written = {};
    const SharedReports reports = focus(2, echo);
    EXPECT_TRUE(written.memory.image.samples == alone);
    EXPECT_EQ(reports.frames[0].setup.memory.slabs, 1);
    ASSERT_EQ(reports.frames[0].warnings.size(), 1u);
    expect_in(reports.frames[0].warnings[0], "one block does not go over ranks in parts (nothing says how");
}

class PlansOverRanks : public testing::Test {
protected:
    /// The aperture grows with the range: at the end of 8000 samples to some 1000 lines.
    static Echo frame_of(std::int64_t samples) {
        return {.acquisition = describe(small_scene(6000, samples)), .samples = {}};
    }
    FocusSetup plan(int ranks, const Echo& echo) const {
        const auto device = one_thread();
        EchoInMemory source(echo);
        EchoSource* const frame = &source;
        return plan_over_ranks(ranks, *device, std::span(&frame, 1), options).front();
    }
    FocusOptions options;
};

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST_F(PlansOverRanks, NeedMemoryForAPart) {
    const Echo echo = frame_of(8000);
    const std::size_t frame_bytes = std::size_t{8} * 6000 * 8000;
    options.memory.block_rows = 1 << 20;
    options.memory.most_bytes = 5 * frame_bytes;
    const FocusSetup whole = plan(1, echo);
    EXPECT_EQ(whole.memory.slabs, 1);
    EXPECT_GT(whole.memory.needed_bytes, 2 * frame_bytes);
    for (const auto& [ranks, share] : {std::pair{2, 0.5}, {4, 0.3}, {8, 0.22}}) {
        const FocusSetup part = plan(ranks, echo);
        EXPECT_EQ(part.memory.slabs, ranks);
        EXPECT_EQ(part.memory.blocks.size(), 1u);
        EXPECT_LT(part.memory.needed_bytes, share * static_cast<double>(whole.memory.needed_bytes)) << ranks;
    }
    options.memory.most_bytes = whole.memory.needed_bytes / 2;
    EXPECT_EQ(plan(4, echo).memory.slabs, 4) << "where one process has not room enough";
    EXPECT_THROW(plan(1, echo), InputError);
    options.memory.most_bytes = 200 * mebibyte;
    EXPECT_THROW(plan(4, echo), InputError) << "a part does not fit either";
}

/// The same rule as for devices of one process.
TEST_F(PlansOverRanks, GoInPartsWhereBlocksWouldOverlapTooMuch) {
    const FocusSetup parts = plan(3, frame_of(8000));
    EXPECT_EQ(parts.memory.slabs, 3);
    EXPECT_EQ(parts.memory.blocks.size(), 1u);
    const FocusSetup cut = plan(3, frame_of(500));
    EXPECT_EQ(cut.memory.slabs, 1);
    EXPECT_EQ(cut.memory.blocks.size(), 3u);
    options.algorithm = "csa";
    EXPECT_EQ(plan(3, frame_of(8000)).memory.slabs, 1) << "which has to be cut";
}

}  // namespace
}  // namespace cornerturn
