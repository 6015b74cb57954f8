// SPDX-License-Identifier: Apache-2.0
// Frames that come one after the other: what is kept between them changes no image.
#include "pipeline/run/repeated_focus.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <utility>

#include "kernels/device/noticing.h"
#include "kernels/errors.h"
#include "pipeline/proof/simulator.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/forwarding_device.h"
#include "tests/support/stopped_job.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

Scene point_scene(std::int64_t lines, std::int64_t samples) {
    Scene scene = small_scene(lines, samples);
    scene.targets = {{SceneTarget{BeamCentrePosition{150.3, 100.4}, 2.0, 40.0}}};
    return scene;
}

class RepeatedFocusOn : public EveryDevice {
protected:
    std::vector<std::complex<float>> formed(RepeatedFocus& repeated, const Echo& echo) {
        EchoInMemory source(echo);
        ImageInMemory sink;
        report_ = repeated.run(source, set_up_focus(*device, echo.acquisition, options_), sink);
        return sink.image.samples;
    }
    std::vector<std::complex<float>> formed_alone(const Echo& echo) {
        return focus(*device, echo, options_).image.samples;
    }
    FocusOptions options_;
    FocusReport report_;
};
INSTANTIATE_TEST_SUITE_P(Devices, RepeatedFocusOn, every_device(), device_name);

TEST_P(RepeatedFocusOn, MakesTheImagesThatAreMadeAlone) {
    const Echo first = simulate(point_scene(331, 503)), other = simulate(point_scene(400, 450));
    RepeatedFocus repeated(*device, options_);
    EXPECT_EQ(formed(repeated, first), formed_alone(first));
    EXPECT_FALSE(report_.plans_reused);
    EXPECT_EQ(formed(repeated, first), formed_alone(first));
    EXPECT_TRUE(report_.plans_reused);
    EXPECT_EQ(formed(repeated, other), formed_alone(other));
    EXPECT_FALSE(report_.plans_reused);
    repeated.release();
    EXPECT_EQ(formed(repeated, first), formed_alone(first));
    EXPECT_EQ(report_.blocks_formed, 1u);
}

TEST_P(RepeatedFocusOn, EachImageTellsOfItsOwnFrame) {
    Echo echo = simulate(point_scene(331, 503));
    const FocusSetup setup = set_up_focus(*device, echo.acquisition, options_);
    RepeatedFocus repeated(*device, options_);
    for (const char* polarization : {"HH", "HV", "HV", "HH"}) {
        echo.acquisition.polarization = polarization;
        EchoInMemory source(echo);
        ImageInMemory sink;
        repeated.run(source, setup, sink);
        EXPECT_EQ(sink.image.acquisition.polarization, polarization);
        EXPECT_EQ(sink.image.valid_columns, setup.image.coverage.valid.intervals);
    }
}

TEST_P(RepeatedFocusOn, GoesOnAfterAJobThatWasStopped) {
    const Echo echo = simulate(point_scene(331, 503));
    RepeatedFocus repeated(*device, options_);
    {
        const StoppedJob stopped;
        EXPECT_THROW(formed(repeated, echo), Interrupted);
    }
    EXPECT_EQ(formed(repeated, echo), formed_alone(echo));
}

/// Lines that lie in the memory of a device.
class EchoOnDevice final : public EchoSource {
public:
    EchoOnDevice(Device& device, const Echo& echo) : acquisition_(echo.acquisition), place_(device.place()) {
        lines_ = device.allocate(acquisition_.format, acquisition_.lines, acquisition_.samples);
        device.upload(echo.samples, lines_);
    }
    const Acquisition& acquisition() const override { return acquisition_; }
    std::optional<Matrix> lines_on(const Device& device) override {
        return device.place() == place_ ? std::optional(lines_) : std::nullopt;
    }
    void read(std::int64_t, std::int64_t, std::span<std::byte>) override {
        throw std::logic_error("lines that are there need not be read");
    }

private:
    Acquisition acquisition_;
    MemoryPlace place_;
    Matrix lines_;
};

TEST_P(RepeatedFocusOn, LinesAndRowsOnTheDeviceStayThere) {
    Echo echo = simulate(point_scene(331, 503));
    EchoOnDevice source(*device, echo);
    Matrix image;
    ImageInto sink(
        [&](const Image& header) {
            image = device->allocate(SampleFormat::complex64, header.grid.rows, header.grid.columns);
            return std::span(image.data<std::complex<float>>(), static_cast<std::size_t>(image.rows * image.columns));
        },
        device->place());
    RepeatedFocus repeated(*device, options_);
    const FocusSetup setup = set_up_focus(*device, echo.acquisition, options_);
    for (const bool reused : {false, true}) {
        const FocusReport report = repeated.run(source, setup, sink);
        EXPECT_EQ(report.plans_reused, reused);
        EXPECT_EQ(report.transferred.uploaded_bytes, 0u);
        EXPECT_EQ(report.transferred.downloaded_bytes, 0u);
        std::vector<std::complex<float>> got(static_cast<std::size_t>(image.rows * image.columns));
        device->download_as_stored(image, std::as_writable_bytes(std::span(got)));
        EXPECT_EQ(got, formed_alone(echo));
    }
    Echo with_gap = echo;
    const auto no_number = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(with_gap.samples.data() + 160, &no_number, sizeof(no_number));
    EchoOnDevice one_bad(*device, with_gap);
    EXPECT_EQ(repeated.run(one_bad, setup, sink).non_finite_samples, 1);
    EXPECT_EQ(repeated.run(source, setup, sink).non_finite_samples, 0);
    if (device->info().native != SampleFormat::complex64) return;  // in double precision nothing overflows
    for (std::size_t i = 0; i < echo.samples.size(); i += sizeof(float)) {
        constexpr float nearly_too_large = 3e38f;
        std::memcpy(echo.samples.data() + i, &nearly_too_large, sizeof(float));
    }
    EchoOnDevice overflows(*device, echo);
    EXPECT_THROW(repeated.run(overflows, setup, sink), DeviceError);
}

/// A CPU that passes for a GPU, and notes whether images come to their last place by themselves.
class MemoryOfItsOwn final : public ForwardingDevice {
public:
    MemoryOfItsOwn() : ForwardingDevice(open_device("cpu", 1)) {}
    MemoryPlace place() const override { return {7}; }
    bool copy_finite(const Matrix& from, Matrix& to) override {
        was_there = from.storage.get() == to.storage.get();
        return ForwardingDevice::copy_finite(from, to);
    }
    bool was_there = false;
};

TEST(MemoryOfItsOwn, TakesTheImageAtOnceWhereItIsAsGoodAsAllocated) {
    const Echo echo = simulate(point_scene(331, 503));
    FocusOptions options;
    options.algorithm = "rda";
    const auto expected = focus(*open_device("cpu", 1), echo, options);
    MemoryOfItsOwn device;
    EchoInMemory source(echo);
    RepeatedFocus repeated(device, options);
    for (const std::size_t aside : {std::size_t{0}, std::size_t{1}}) {
        const Matrix memory =
            device.allocate(SampleFormat::complex64, 1, static_cast<std::int64_t>(expected.image.samples.size() + 1));
        const std::span rows(memory.data<std::complex<float>>() + aside, expected.image.samples.size());
        ImageInto sink([&](const Image&) { return rows; }, device.place());
        std::vector<std::string> told;
        const FocusReport report = repeated.run(source, set_up_focus(device, echo.acquisition, options), sink,
                                                [&](std::string_view stage, double) {
                                                    if (told.empty() || told.back() != stage) told.emplace_back(stage);
                                                });
        EXPECT_EQ(device.was_there, aside == 0);
        EXPECT_EQ(std::vector(rows.begin(), rows.end()), expected.image.samples);
        ASSERT_EQ(report.stages.size(), expected.report.stages.size());
        ASSERT_EQ(told.size(), report.stages.size());
        for (std::size_t i = 0; i < told.size(); ++i) {
            EXPECT_EQ(report.stages[i].name, expected.report.stages[i].name);
            EXPECT_EQ(told[i], report.stages[i].name);
        }
    }
}

/// Does what another plan does, and says that it looked.
class Looking final : public StepPlan, public Noticing {
public:
    Looking(std::unique_ptr<StepPlan> plan, Noticed at, bool& met) : plan_(std::move(plan)), at_(at), met_(met) {}
    void run(const Matrix& in, Matrix& out) override { plan_->run(in, out); }
    void run_lines(const Matrix& in, std::int64_t first, Matrix& out) override { plan_->run_lines(in, first, out); }
    bool decode_as(const EchoDecoding& decoding) override { return plan_->decode_as(decoding); }
    Noticed notices() const override { return at_; }
    bool noticed() override { return std::exchange(met_, false); }

private:
    std::unique_ptr<StepPlan> plan_;
    Noticed at_;
    bool& met_;
};

/// A CPU that passes for a GPU whose first and last step look for what is not finite.
class LooksOnTheWay final : public ForwardingDevice {
public:
    LooksOnTheWay() : ForwardingDevice(open_device("cpu", 1)) {}
    MemoryPlace place() const override { return {7}; }
    Lowered lower(const Algorithm& algorithm, const LoweringHints& hints) override {
        Lowered lowered = ForwardingDevice::lower(algorithm, hints);
        const auto look = [](auto& step, Noticed at, bool& met) {
            step.plan = std::make_unique<Looking>(std::move(step.plan), at, met);
        };
        look(lowered.steps.front(), Noticed::echo, in_echo);
        look(lowered.steps.back(), Noticed::result, in_image);
        return lowered;
    }
    bool copy_finite(const Matrix& from, Matrix& to) override {
        ++images_looked_through;
        return ForwardingDevice::copy_finite(from, to);
    }
    std::unique_ptr<NonFiniteCounter> non_finite_counter(const EchoDecoding& decoding) override {
        ++echoes_counted;
        return ForwardingDevice::non_finite_counter(decoding);
    }
    bool in_echo = false, in_image = false;
    int images_looked_through = 0, echoes_counted = 0;
};

TEST(LooksOnTheWay, WhatNoStepHasMetIsNotLookedForAgain) {
    Echo echo = simulate(point_scene(331, 503));
    const auto not_finite = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t at : {0u, 1600u}) std::memcpy(echo.samples.data() + at, &not_finite, sizeof(not_finite));
    FocusOptions options;
    options.algorithm = "rda";
    LooksOnTheWay device;
    EchoOnDevice there(device, echo);
    EchoInMemory comes(echo);
    Matrix image;
    ImageInto sink(
        [&](const Image& header) {
            if (image.rows == 0)
                image = device.allocate(SampleFormat::complex64, header.grid.rows, header.grid.columns);
            return std::span(image.data<std::complex<float>>(), static_cast<std::size_t>(image.rows * image.columns));
        },
        device.place());
    RepeatedFocus repeated(device, options);
    const FocusSetup setup = set_up_focus(device, echo.acquisition, options);
    const auto run = [&](EchoSource& source) { return repeated.run(source, setup, sink); };

    EXPECT_EQ(run(there).non_finite_samples, 0) << "the step said that there is none";
    EXPECT_EQ(device.echoes_counted, 0);
    EXPECT_EQ(device.images_looked_through, 0);
    device.in_echo = true;
    const FocusReport report = run(there);
    EXPECT_EQ(report.non_finite_samples, 2);
    expect_in(report.warnings.back(), {"2 samples of the echo are not finite"});
    EXPECT_EQ(device.echoes_counted, 1);
    EXPECT_EQ(run(there).non_finite_samples, 0) << "what was met before is forgotten";
    EXPECT_EQ(run(comes).non_finite_samples, 2) << "lines that go away are counted while they are there";
    EXPECT_EQ(device.echoes_counted, 2);

    EXPECT_EQ(device.images_looked_through, 0);
    device.in_image = true;  // a row that is not stored, for all that is known
    run(there);
    EXPECT_EQ(device.images_looked_through, 1);
    run(there);
    EXPECT_EQ(device.images_looked_through, 1);
}

}  // namespace
}  // namespace cornerturn
