// SPDX-License-Identifier: Apache-2.0
// Blocks and frames shared out over devices against the same on one: the same bits, whoever is slow, fails or stops.
#include "pipeline/run/device_shares.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "kernels/errors.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/pipeline/kept_frames.h"
#include "tests/pipeline/run/fickle_device.h"
#include "tests/pipeline/run/streamed_echo.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/stopped_job.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

using std::chrono::milliseconds;

/// Noise, so that no sample is like another, in some lines that are nobody's multiple; two of them are no numbers.
Echo noisy_echo(const std::string& polarization, std::uint64_t seed, std::int64_t lines = 461) {
    Scene scene = small_scene(lines, 217);
    scene.chirp_duration_s = 1e-6;
    scene.noise_db = 0;
    scene.seed = seed;
    scene.targets = {{SceneTarget{BeamCentrePosition{0.5 * static_cast<double>(lines), 60.4}, 20.0, 40.0}}};
    Echo echo = simulate(scene);
    echo.acquisition.polarization = polarization;
    auto* values = reinterpret_cast<float*>(echo.samples.data());
    for (const std::int64_t line : {std::int64_t{5}, lines / 2})
        values[2 * (line * 217 + 7)] = std::numeric_limits<float>::quiet_NaN();
    return echo;
}

class DeviceShares : public testing::Test {
protected:
    /// As many processors with a thread each.
    void take_devices(std::size_t count) {
        devices_.clear();
        pointers_.clear();
        for (std::size_t i = 0; i < count; ++i)
            pointers_.push_back(devices_.emplace_back(std::make_unique<FickleDevice>(open_device("cpu", 1))).get());
    }
    FickleDevice& device(std::size_t i) { return *devices_[i]; }

    SharedFocus run(ImageSink& sink) {
        sources_.clear();
        std::vector<EchoSource*> frames;
        sources_.reserve(echoes_.size());
        for (const Echo& echo : echoes_) {
            sources_.emplace_back(echo).before_read = before_read_;
            frames.push_back(&sources_.back());
        }
        return focus_frames(pointers_, frames, options_, sink);
    }
    /// On one device alone.
    FramesOverRuns alone() {
        take_devices(1);
        FramesOverRuns sink;
        run(sink);
        return sink;
    }
    static std::int64_t blocks_of(const SharedFocus& done) {
        std::int64_t count = 0;
        for (const DeviceShare& share : done.devices) count += share.blocks;
        return count;
    }
    static std::vector<std::string> warnings_of(const SharedFocus& done) {
        std::vector<std::string> all;
        for (const FocusReport& frame : done.frames)
            for (const std::string& warning : frame.warnings)
                if (warning.find("not finite") == std::string::npos) all.push_back(warning);
        return all;
    }

    std::vector<Echo> echoes_{noisy_echo("HH", 1), noisy_echo("HV", 2)};
    FocusOptions options_ = [] {
        FocusOptions options;
        options.memory.block_rows = 127;  // four blocks a frame
        options.azimuth_bandwidth_hz = 250;
        return options;
    }();
    std::function<void(std::int64_t)> before_read_;
    std::vector<StreamedEcho> sources_;
    std::vector<std::unique_ptr<FickleDevice>> devices_;
    std::vector<Device*> pointers_;
};

TEST_F(DeviceShares, GiveTheSameBitsForAnyNumberOfDevices) {
    for (const std::string algorithm : {"rda", "backprojection"}) {
        SCOPED_TRACE(algorithm);
        options_.algorithm = algorithm;
        const FramesOverRuns one = alone();
        for (const std::size_t count : {2, 3}) {
            SCOPED_TRACE(count);
            if (count == 2 && algorithm != "rda") continue;  // takes its time
            take_devices(count);
            FramesOverRuns sink;
            const SharedFocus done = run(sink);
            EXPECT_EQ(blocks_of(done), 8);
            EXPECT_EQ(sink.blocks, 8);
            ASSERT_EQ(done.devices.size(), count);
            for (const DeviceShare& share : done.devices) EXPECT_EQ(share.busy_s > 0, share.blocks > 0);
            for (std::size_t i = 0; i < 2; ++i) {
                EXPECT_TRUE(sink[i] == one[i]) << i;
                EXPECT_EQ(sink.frames[i].image.grid, one.frames[i].image.grid);
                EXPECT_EQ(done.frames[i].non_finite_samples, 2) << "each counted once though lines overlap";
                EXPECT_EQ(done.frames[i].blocks_formed, 4u);
                EXPECT_GT(done.frames[i].wall_s, 0);
                EXPECT_EQ(done.frames[i].transferred.downloaded_bytes, sink[i].size() * 8);
                for (const char* part : {"read", "compute", "write"}) EXPECT_GT(done.frames[i].busy_s(part), 0) << part;
            }
        }
    }
}

TEST_F(DeviceShares, OfWholeFramesGoFrameByFrame) {
    options_.memory.block_rows = 2000;
    for (const std::uint64_t seed : {3, 4}) echoes_.push_back(noisy_echo("HH", seed));
    const FramesOverRuns one = alone();
    take_devices(3);
    FramesOverRuns sink;
    EXPECT_EQ(blocks_of(run(sink)), 4);
    for (std::size_t i = 0; i < echoes_.size(); ++i) EXPECT_TRUE(sink[i] == one[i]) << i;
}

TEST_F(DeviceShares, OfASlowDeviceAreSmaller) {
    const FramesOverRuns one = alone();
    take_devices(2);
    // However busy the machine is: as long as the other takes for two steps, unless that one waits.
    std::atomic<int> steps_of_other = 0;
    device(1).at_step = [&](int) { ++steps_of_other; };
    device(0).at_step = [&](int) {
        const int until = steps_of_other + 2;
        for (int waited = 0; waited < 4 && (waited == 0 || steps_of_other < until); ++waited)
            std::this_thread::sleep_for(milliseconds(100));
    };
    FramesOverRuns sink;
    const SharedFocus done = run(sink);
    EXPECT_LT(done.devices[0].blocks, done.devices[1].blocks);
    EXPECT_GT(done.devices[0].busy_s, 0.1);
    EXPECT_TRUE(sink[0] == one[0] && sink[1] == one[1]);
}

/// What waits for a slow writer, or for the block of a slow device, takes memory.
TEST_F(DeviceShares, DoNotRunAhead) {
    options_.doppler_centroid_hz = 0;  // estimates would look at lines all over
    take_devices(2);
    echoes_ = {noisy_echo("HH", 1, 901)};
    options_.memory.block_rows = 131;  // seven
    FramesOverRuns first;
    const FocusSetup setup = run(first).frames[0].setup;
    const auto first_line_of = [&](std::size_t block) { return setup.memory.blocks[block].first_line; };

    std::mutex mutex;
    std::set<std::int64_t> read, read_early;  // lines that a read began with
    before_read_ = [&](std::int64_t line) {
        const std::lock_guard lock(mutex);
        read.insert(line);
    };
    const auto has_read = [&](std::int64_t line) {
        const std::lock_guard lock(mutex);
        return read.contains(line);
    };
    FramesOverRuns sink;
    sink.at_write = [&] {
        if (!read_early.empty()) return;
        for (int tenths = 0; tenths < 300 && !has_read(first_line_of(3)); ++tenths)
            std::this_thread::sleep_for(milliseconds(100));
        std::this_thread::sleep_for(milliseconds(300));  // for what should not be read
        const std::lock_guard lock(mutex);
        read_early = read;
    };
    run(sink);
    const auto bytes = static_cast<std::size_t>(131 * setup.image.grid.columns) * 8;
    EXPECT_EQ(setup.memory.waiting_bytes, 4 * bytes);
    EXPECT_TRUE(read_early.contains(first_line_of(3))) << "two blocks each";
    EXPECT_FALSE(read_early.contains(first_line_of(4)));
    EXPECT_TRUE(read.contains(first_line_of(4))) << "in the end";
}

TEST_F(DeviceShares, OfALostDeviceGoToTheOthers) {
    const FramesOverRuns one = alone();
    for (const int step : {1, 3, 7}) {
        SCOPED_TRACE(step);
        take_devices(3);
        device(1).at_step = [=](int now) {
            if (now >= step) throw DeviceError("cuda: launch a kernel: cudaErrorIllegalAddress");
        };
        FramesOverRuns sink;
        const SharedFocus done = run(sink);
        EXPECT_TRUE(sink[0] == one[0] && sink[1] == one[1]);
        EXPECT_EQ(blocks_of(done), 8);
        EXPECT_EQ(done.frames[0].non_finite_samples, 2);
        // A device that is lost late may find that the others have done it all.
        if (step > 1 && done.devices[1].lost.empty()) continue;
        expect_in(done.devices[1].lost, "cudaErrorIllegalAddress");
        const auto warnings = warnings_of(done);
        ASSERT_EQ(warnings.size(), 1u);
        expect_in(warnings[0], {"cpu failed and is left out: cuda: launch", "2 left"});
    }
}

TEST_F(DeviceShares, EndWhereNoDeviceIsLeft) {
    take_devices(2);
    for (std::size_t i = 0; i < 2; ++i)
        device(i).at_step = [=](int now) {
            if (now == 4 + static_cast<int>(i)) throw DeviceError("it burns");
        };
    FramesOverRuns sink;
    expect_error<DeviceError>([&] { run(sink); }, {"no device is left", "it burns"});
}

TEST_F(DeviceShares, DoNotTakeOtherFailuresForLostDevices) {
    echoes_ = {noisy_echo("HH", 1, 901)};
    options_.memory.block_rows = 251;
    take_devices(2);
    FramesOverRuns sink;
    device(0).at_step = [](int) { throw MemoryError("no room"); };
    EXPECT_THROW(run(sink), MemoryError);
    device(0).at_step = nullptr;
    before_read_ = [](std::int64_t line) {
        if (line > 300) throw DeviceError("the disk is broken");
    };
    FramesOverRuns unread;
    EXPECT_EQ(error_of<DeviceError>([&] { run(unread); }), "the disk is broken") << "which no device can read";
    before_read_ = nullptr;
    FramesOverRuns broken;
    broken.at_write = [] { throw DeviceError("the disk is full"); };
    EXPECT_THROW(run(broken), DeviceError);
}

TEST_F(DeviceShares, RefuseAnImageThatIsNotFinite) {
    for (Echo& echo : echoes_) echo.acquisition.decoding.line_gain.assign(461, 3e38f);
    for (auto& value : std::span(reinterpret_cast<float*>(echoes_[1].samples.data()), 2 * 461 * 217)) value *= 1e20f;
    std::swap(echoes_[0], echoes_[1]);
    options_.doppler_centroid_hz = 0;
    take_devices(2);
    FramesOverRuns sink;
    const std::string error = error_of<DeviceError>([&] { run(sink); });
    expect_in(error, "no finite number");
    EXPECT_EQ(error.find("left"), std::string::npos) << "no device is to blame: " << error;
}

TEST_F(DeviceShares, StopWhenInterrupted) {
    take_devices(3);
    device(2).at_step = [](int now) {
        if (now == 3) stop_job();
    };
    FramesOverRuns sink;
    {
        const JobScope job;
        EXPECT_THROW(run(sink), Interrupted);
    }
    const JobScope job;
    FramesOverRuns other;
    other.at_block = [] { stop_job(); };
    EXPECT_THROW(run(other), Interrupted);
    EXPECT_LT(other.blocks, 8);
}

TEST_F(DeviceShares, GoOnWhereAnotherRunStopped) {
    const FramesOverRuns one = alone();
    for (const int left : {1, 4, 7}) {
        SCOPED_TRACE(left);
        FramesOverRuns sink;
        sink.at_block = [&] {
            if (sink.blocks == left) throw Interrupted();
        };
        take_devices(2);
        EXPECT_THROW(run(sink), Interrupted);
        sink.at_block = nullptr;
        sink.begin_run();
        take_devices(3);
        EXPECT_EQ(blocks_of(run(sink)), 8 - left);
        EXPECT_TRUE(sink[0] == one[0] && sink[1] == one[1]);
        sink.begin_run();
        EXPECT_EQ(blocks_of(run(sink)), 0) << "all is there";
    }
}

TEST_F(DeviceShares, AreOfDevicesThatRoundAlike) {
    const auto other = open_device("cpu-double", 1);
    take_devices(1);
    pointers_.push_back(other.get());
    FramesOverRuns sink;
    EXPECT_THROW(run(sink), InputError);
}

/// Blocks are not longer than the least memory allows, though the first device has more.
TEST_F(DeviceShares, FitTheSmallestDevice) {
    options_.memory = {};
    echoes_ = {noisy_echo("HH", 1, 901), noisy_echo("HV", 2, 901)};
    take_devices(2);
    device(1).free_bytes = std::size_t{18} << 20;
    FramesOverRuns sink;
    const MemoryPlan memory = run(sink).frames[0].setup.memory;
    EXPECT_GT(memory.blocks.size(), 1u);
    EXPECT_LE(memory.needed_bytes +
                  2 * static_cast<std::size_t>(memory.blocks[0].rows * sink.frames[0].image.grid.columns) * 8,
              std::size_t{9} << 20)
        << "processors share the memory of the host, rows that wait lie there, too";
}

TEST_F(DeviceShares, AreCutWhereThereWouldBeOneAndThatPays) {
    echoes_ = {noisy_echo("HH", 1, 2003)};
    options_.memory = {};
    const FramesOverRuns one = alone();
    take_devices(2);
    FramesOverRuns sink;
    const SharedFocus done = run(sink);
    EXPECT_EQ(blocks_of(done), 2);
    EXPECT_EQ(done.devices.size(), 2u);
    EXPECT_GE(signal_to_error_db(sink[0], one[0]), 100);
    options_.memory.most_bytes = std::size_t{1}
                                 << 30;  // said to be enough for one block: so it is one, on any number of devices
    FramesOverRuns whole;
    const SharedFocus in_slabs = run(whole);
    EXPECT_EQ(in_slabs.frames[0].setup.memory.blocks.size(), 1u);
    EXPECT_EQ(in_slabs.devices.size(), 2u);
    EXPECT_GE(signal_to_error_db(whole[0], one[0]), 120);
    EXPECT_EQ(in_slabs.frames[0].non_finite_samples, done.frames[0].non_finite_samples);
    EXPECT_EQ(whole.blocks, 1);
}

TEST_F(DeviceShares, LeaveOneBlockToOneDeviceWhereItDoesNotGoInSlabs) {
    echoes_.resize(1);
    options_.memory.block_rows = 100000;
    options_.algorithm = "csa";
    const FramesOverRuns one = alone();
    take_devices(2);
    FramesOverRuns sink;
    const SharedFocus done = run(sink);
    EXPECT_EQ(done.devices.size(), 1u);
    EXPECT_NE(done.frames[0].setup.memory.why_no_slabs, "");
    EXPECT_TRUE(sink[0] == one[0]);
}

TEST_F(DeviceShares, EndAFrameInSlabsThatLosesADevice) {
    echoes_.resize(1);
    options_.memory.block_rows = 100000;
    take_devices(2);
    device(1).at_step = [](int) { throw DeviceError("unplugged"); };
    FramesOverRuns sink;
    EXPECT_THROW(run(sink), DeviceError);
    EXPECT_EQ(sink.blocks, 0);
}

/// 1000 rows of as many lines, and some lines before and behind.
std::int64_t blocks_of_frames(std::size_t frames, std::int64_t overlap, std::size_t devices,
                              const std::string& algorithm = "rda") {
    Acquisition frame;
    frame.lines = 1000;
    FocusSetup setup;
    setup.algorithm = algorithm;
    setup.image.grid.rows = 1000;
    setup.image.lines = {.before = overlap, .behind = overlap};
    const std::vector<const Acquisition*> acquisitions(frames, &frame);
    return blocks_for_devices(acquisitions, std::vector<FocusSetup>(frames, setup), devices);
}

TEST(BlocksForDevices, AreAsManyAsPay) {
    EXPECT_EQ(blocks_of_frames(1, 50, 1), 1);
    EXPECT_EQ(blocks_of_frames(1, 50, 2), 2) << "550 lines each";
    EXPECT_EQ(blocks_of_frames(1, 50, 4), 4) << "1300 lines in all";
    EXPECT_EQ(blocks_of_frames(1, 50, 5), 4) << "1400 would be too many";
    EXPECT_EQ(blocks_of_frames(1, 400, 2), 1) << "1800";
    EXPECT_EQ(blocks_of_frames(2, 50, 2), 1) << "one frame each";
    EXPECT_EQ(blocks_of_frames(3, 5, 4), 4) << "twelve quarters on four: three quarters of the time";
    EXPECT_EQ(blocks_of_frames(100, 5, 4), 1) << "of a stream each device does a quarter anyway";
    EXPECT_EQ(blocks_of_frames(1, 400, 4, "backprojection"), 4) << "pixels are summed once";
    EXPECT_EQ(blocks_of_frames(1, 0, 100), 15) << "of not less than 64 rows";
}

}  // namespace
}  // namespace cornerturn
