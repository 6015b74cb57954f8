// SPDX-License-Identifier: Apache-2.0
// The bench of input and output checks before it times, and cleans up behind it.
#include "app/bench/io_bench.h"

#include <gtest/gtest.h>

#include "kernels/errors.h"
#include "tests/data/product_fixture.h"
#include "tests/support/forwarding_device.h"

namespace cornerturn {
namespace {

using IoBenches = ProductTest;

TEST_F(IoBenches, TimesEveryWayBesidePlainCalls) {
    const auto device = open_device("cpu", 2);
    Device* const devices[] = {device.get()};
    const IoRequest request{.lines = 700, .samples = 3000, .repeat = 3, .folder = path("")};
    const IoBench result = measure_io(devices, request, {});
    EXPECT_FALSE(result.stream) << "one device";
    EXPECT_TRUE(result.wrong.empty()) << result.wrong.front();
    std::vector<std::string> names;
    std::vector<double> bytes;
    for (const IoStep& step : result.steps) {
        names.push_back(step.name);
        EXPECT_GT(step.median_ms, 0) << step.name;
        EXPECT_GT(step.plain_ms, 0) << step.name;
        bytes.push_back(step.bytes);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"read", "upload", "host to host", "download", "write", "file to file"}));
    const double echo = 700 * 3000 * 2, image = 8.0 * 700 * 3000;
    EXPECT_EQ(bytes, (std::vector<double>{echo, echo, echo + image, image, image, echo + image}))
        << "as many pixels as samples";
    EXPECT_GT(result.steps.back().sustained_ms, 0);
    EXPECT_TRUE(left().empty()) << "its files are gone";
}

TEST_F(IoBenches, StreamFramesOverSeveralDevices) {
    const auto devices = open_devices("cpu,cpu,cpu", 1);
    Device* const pointers[] = {devices[0].get(), devices[1].get(), devices[2].get()};
    const IoBench result = measure_io(pointers, {.lines = 301, .samples = 2500, .repeat = 2, .folder = path("")}, {});
    ASSERT_TRUE(result.stream);
    EXPECT_TRUE(result.wrong.empty()) << result.wrong.front();
    const StreamBench& stream = *result.stream;
    ASSERT_EQ(stream.frames.size(), 3u);
    EXPECT_EQ(stream.frames[0] + stream.frames[1] + stream.frames[2], 6);
    EXPECT_EQ(stream.bytes, 301 * 2500 * (2.0 + 8));
    EXPECT_GT(stream.alone_ms, 0);
    EXPECT_DOUBLE_EQ(stream.speedup(), stream.alone_ms / stream.all_ms);
}

/// A CPU that loses one bit of what it brings back.
class LossyDevice final : public ForwardingDevice {
public:
    enum class Way { echo, image };
    explicit LossyDevice(Way lossy) : ForwardingDevice(open_device("cpu", 1)), lossy_(lossy) {}

    void download_as_stored(const Matrix& from, std::span<std::byte> to) override {
        ForwardingDevice::download_as_stored(from, to);
        if (lossy_ == Way::echo) to.back() ^= std::byte{1};
    }
    void download(const Matrix& from, std::span<std::complex<float>> to) override {
        ForwardingDevice::download(from, to);
        if (lossy_ == Way::image) to.back() += 1e6f;
    }

private:
    Way lossy_;
};

TEST_F(IoBenches, NameWhatArrivesOtherThanItLeftAndTimeItNot) {
    using Way = LossyDevice::Way;
    for (const auto& [lossy, step] : {std::pair(Way::echo, "upload"), std::pair(Way::image, "host to host")}) {
        LossyDevice device(lossy);
        Device* const devices[] = {&device};
        const IoBench result =
            measure_io(devices, {.lines = 300, .samples = 2500, .repeat = 1, .folder = path("")}, {});
        ASSERT_EQ(result.wrong.size(), 1u) << step;
        EXPECT_EQ(result.wrong.front().find(step), 0u) << result.wrong.front();
        for (const IoStep& timed : result.steps) EXPECT_NE(timed.name, step);
        EXPECT_TRUE(left().empty()) << "its files are gone";
    }
}

TEST(IoStep, IsHeldAgainstPlainCalls) {
    const IoStep step{.name = "read", .bytes = 6e6, .median_ms = 4, .plain_ms = 3};
    EXPECT_DOUBLE_EQ(step.gbytes_per_s(), 1.5);
    EXPECT_DOUBLE_EQ(step.plain_gbytes_per_s(), 2);
    EXPECT_DOUBLE_EQ(step.ratio(), 4.0 / 3.0) << "above 1: slower than plain calls";
}

TEST_F(IoBenches, RefusesWhatCannotBe) {
    const auto device = open_device("cpu", 1);
    Device* const devices[] = {device.get()};
    const auto words = [&](IoRequest request) { measure_io(devices, request, {}); };
    expect_refused([&] { words({.lines = 700, .samples = 3000, .repeat = 1, .folder = path("none/such")}); },
                   {"--folder", "none/such"});
    expect_refused([&] { words({.lines = 16000000, .samples = 16000000, .repeat = 1, .folder = path("")}); },
                   {"bench io", "16000000"});
    EXPECT_TRUE(left().empty());
}

}  // namespace
}  // namespace cornerturn
