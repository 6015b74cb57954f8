// SPDX-License-Identifier: Apache-2.0
// Jobs side by side in one process: what happens to one is nothing to the other.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "kernels/device/device.h"
#include "kernels/interrupt.h"
#include "pipeline/formers/former.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

Echo two_points() {
    Scene scene = small_scene(631, 153);
    scene.chirp_duration_s = 1e-6;
    scene.near_range_m = 800;  // blocks overlap by little
    scene.sample_type = SampleFormat::complex64;
    scene.targets = {{SceneTarget{BeamCentrePosition{350.3, 40.4}, 2.0, 40.0},
                      SceneTarget{BeamCentrePosition{200.1, 20.2}, 1.0, 0.0}}};
    return simulate(scene);
}

/// Begins with another job, and may ask its own to stop in the middle of the lines.
class EchoBesideAnother final : public EchoSource {
public:
    EchoBesideAnother(const Echo& echo, std::latch& both, bool stops) : echo_(echo), both_(both), stops_(stops) {}
    const Acquisition& acquisition() const override { return echo_.acquisition(); }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        if (!std::exchange(begun_, true)) both_.arrive_and_wait();
        if (stops_ && first_line > acquisition().lines / 2) JobScope::stop().request();
        echo_.read(first_line, lines, to);
    }

private:
    EchoInMemory echo_;
    std::latch& both_;
    bool stops_, begun_ = false;
};

class TwoJobs : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, TwoJobs, testing::Values("rda", "omegak", "backprojection"),
                         [](const auto& of) { return of.param; });

TEST_P(TwoJobs, OneIsStoppedAndTheOtherIsNot) {
    const Echo echo = two_points();
    FocusOptions options = by(GetParam());
    options.memory.block_rows = 130;
    const Image alone = focus(*open_device("cpu", 2), echo, options).image;

    std::latch both(2);
    std::atomic<bool> interrupted = false;
    std::thread stopped([&] {
        const JobScope job;
        EchoBesideAnother source(echo, both, true);
        ImageInMemory image;
        try {
            focus(*open_device("cpu", 2), source, options, image);
        } catch (const Interrupted&) {
            interrupted = true;
        }
    });
    EchoBesideAnother source(echo, both, false);
    ImageInMemory beside;
    EXPECT_NO_THROW(focus(*open_device("cpu", 2), source, options, beside));
    stopped.join();
    EXPECT_TRUE(interrupted);
    EXPECT_FALSE(stop_requested());
    EXPECT_EQ(beside.image.samples, alone.samples) << "bit for bit";
}

TEST(JobScope, StopsWithTheJobAroundItButNotThatOne) {
    const StopRequest outer_stop;
    const JobScope outer(outer_stop);
    {
        const JobScope inner;
        JobScope::stop().request();
        EXPECT_TRUE(stop_requested());
    }
    EXPECT_FALSE(stop_requested());
    const JobScope inner;
    outer_stop.request();
    EXPECT_TRUE(stop_requested());
}

TEST(OwnMemory, IsOfTheRightSize) {
    const Echo echo = two_points();
    const auto bytes = std::as_bytes(std::span(echo.samples));
    EchoInMemory cut(echo.acquisition, bytes.first(bytes.size() - 1));
    ImageInMemory image;
    EXPECT_THROW(focus(*open_device("cpu", 1), cut, {}, image), std::logic_error);
    std::vector<std::complex<float>> pixels(10);
    EchoInMemory source(echo);
    ImageInto sink([&](const Image&) { return std::span(pixels); });
    EXPECT_THROW(focus(*open_device("cpu", 1), source, {}, sink), std::logic_error);
}

TEST(OwnFormer, IsTakenByItsName) {
    add_former({.name = "own", .title = "of our own", .holds_for = "this test", .form = former_named("rda").form});
    EXPECT_EQ(former_named("own").title, "of our own");
    EXPECT_THROW(add_former(former_named("rda")), std::logic_error);
    EXPECT_THROW(add_former(former_named("own")), std::logic_error);
    const Echo echo = two_points();
    FocusOptions options = by("own");
    const FocusResult own = focus(*open_device("cpu", 1), echo, options);
    EXPECT_EQ(own.report.setup.algorithm, "own");
    options.algorithm = "rda";
    EXPECT_EQ(own.image.samples, focus(*open_device("cpu", 1), echo, options).image.samples);
}

}  // namespace
}  // namespace cornerturn
