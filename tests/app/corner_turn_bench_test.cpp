// SPDX-License-Identifier: Apache-2.0
// The bench of corner turns checks before it times, and its figures fit together.
#include "app/bench/corner_turn_bench.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/errors.h"
#include "tests/support/forwarding_device.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// A CPU one of whose turns puts one element wrong.
class SpoiltBench final : public DeviceBench {
public:
    SpoiltBench(CornerTurnVariant spoilt, DeviceBench& cpu) : spoilt_(spoilt), cpu_(cpu) {}

    void corner_turn(const Matrix& in, Matrix& out, CornerTurnVariant variant, std::int64_t columns) override {
        cpu_.corner_turn(in, out, variant, columns);
        if (variant == spoilt_) out.data<std::uint32_t>()[out.rows * out.columns - 1] ^= 1;  // one bit of one element
    }
    std::vector<CornerTurnVariant> corner_turn_variants() const override { return cpu_.corner_turn_variants(); }
    std::vector<MatrixProductVariant> matrix_product_variants() const override {
        return cpu_.matrix_product_variants();
    }
    void copy(const Matrix& from, Matrix& to, CopyMethod method) override { cpu_.copy(from, to, method); }
    std::int64_t count_differences(const Matrix& expected, const Matrix& got, bool turned) override {
        return cpu_.count_differences(expected, got, turned);
    }
    std::vector<Chain> chains() const override { return cpu_.chains(); }
    BusRate bus_rate(std::size_t bytes) override { return cpu_.bus_rate(bytes); }
    double time_ms(const std::function<void()>& work, int count) override { return cpu_.time_ms(work, count); }

private:
    CornerTurnVariant spoilt_;
    DeviceBench& cpu_;
};

class SpoiltDevice final : public ForwardingDevice {
public:
    explicit SpoiltDevice(CornerTurnVariant spoilt)
        : ForwardingDevice(open_device("cpu", 1)), bench_(spoilt, ForwardingDevice::bench()) {}

    DeviceBench& bench() override { return bench_; }

private:
    SpoiltBench bench_;
};

TEST(CornerTurnBench, EveryStepThatTheDeviceHas) {
    const auto device = open_device("cpu", 2);
    const TurnRequest request{.rows = 257, .columns = 101, .repeat = 3};
    const BenchResult result = measure_corner_turns(*device, request, {});
    EXPECT_TRUE(result.wrong.empty());
    ASSERT_EQ(result.left_out.size(), 1u);  // in place: not square
    expect_in(result.left_out[0], "257 x 101");
    ASSERT_EQ(result.steps.size(), 3u);
    EXPECT_EQ(result.steps[0].name, "naive");
    EXPECT_EQ(result.steps.back().name, "copy");
    EXPECT_DOUBLE_EQ(result.step("copy").k_eff, 2);
    for (const BenchStep& step : result.steps) {
        EXPECT_NEAR(step.gbytes_per_s, 2 * 257 * 101 * 8 / (step.median_ms * 1e-3) / 1e9, 1e-9 * step.gbytes_per_s);
        EXPECT_NEAR(step.k_eff * step.gbytes_per_s, 2 * result.copy_gbytes_per_s, 1e-9 * result.copy_gbytes_per_s);
    }
    EXPECT_GT(result.step("production").burst_ms, 0);
    EXPECT_GT(result.step("production").sustained_ms, 0);
}

TEST(CornerTurnBench, SquareMatricesOfFloatsTurnInPlaceToo) {
    const auto device = open_device("cpu", 2);
    const BenchResult result =
        measure_corner_turns(*device, {.rows = 70, .columns = 70, .format = SampleFormat::float32, .repeat = 3}, {});
    EXPECT_TRUE(result.left_out.empty());
    EXPECT_EQ(result.step("inplace").name, "inplace");
}

TEST(CornerTurnBench, RowsApart) {
    const auto device = open_device("cpu", 2);
    const TurnRequest request{.rows = 70, .columns = 70, .pitch = 83, .repeat = 3};
    const BenchResult result = measure_corner_turns(*device, request, {});
    EXPECT_TRUE(result.wrong.empty());
    ASSERT_EQ(result.left_out.size(), 1u);  // in place: not packed
    expect_in(result.left_out[0], "70 columns in rows 83 apart");
    ASSERT_EQ(result.steps.size(), 3u);
    for (const BenchStep& step : result.steps)  // what is turned counts, not what lies between
        EXPECT_NEAR(step.gbytes_per_s, 2 * 70 * 70 * 8 / (step.median_ms * 1e-3) / 1e9, 1e-9 * step.gbytes_per_s);
}

TEST(CornerTurnBench, AWrongTurnIsNamedAndEndsIt) {
    for (const CornerTurnVariant spoilt :
         {CornerTurnVariant::naive, CornerTurnVariant::production, CornerTurnVariant::inplace}) {
        SpoiltDevice device(spoilt);
        const BenchResult result = measure_corner_turns(device, {.rows = 64, .columns = 64, .repeat = 1}, {});
        ASSERT_EQ(result.wrong.size(), 1u);
        expect_in(result.wrong[0], {std::string(name_of(spoilt)), "1 of 4096"});
    }
}

TEST(CornerTurnBench, RefusesMoreThanTheMemoryHolds) {
    const auto device = open_device("cpu", 1);
    if (device->info().memory_free_bytes == 0) GTEST_SKIP() << "the system does not tell its memory";
    EXPECT_THROW(measure_corner_turns(*device, {.rows = 1 << 24, .columns = 1 << 24}, {}), InputError);
}

}  // namespace
}  // namespace cornerturn
