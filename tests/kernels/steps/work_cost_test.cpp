// SPDX-License-Identifier: Apache-2.0
// What steps are taken to cost: counted by hand.
#include "kernels/steps/work_cost.h"

#include <gtest/gtest.h>

#include "kernels/steps/steps.h"

namespace cornerturn {
namespace {

Step step_of(Work work) { return {"step", "row", "column", std::move(work)}; }

TEST(WorkCost, CountsTransformsByTheirLength) {
    const WorkCost one = cost_of(step_of(AzimuthSpectrum{7, 1000, 1024})),
                   twice = cost_of(step_of(AzimuthSpectrum{14, 1000, 1024}));
    constexpr double transform = 5 * 1024 * 10;
    EXPECT_GT(one.operations, 7 * transform);
    EXPECT_LT(one.operations, 7 * 1.5 * transform);
    EXPECT_DOUBLE_EQ(twice.operations, 2 * one.operations);
    EXPECT_EQ(one.pixel_pulses, 0);
}

TEST(WorkCost, GrowsWithTheTapsOfAGather) {
    const auto taps = [](int count) {
        AzimuthCompression pass{};
        pass.fft_length = 64, pass.columns = 3, pass.image_rows = 60, pass.kernel = SincKernel::for_band(count, 0.8);
        return cost_of(step_of(pass)).operations;
    };
    EXPECT_DOUBLE_EQ(taps(16) - taps(8), 12.0 * 8 * 64 * 3);
}

Accumulation sum_of(double pixel_pulses) {
    Accumulation sum{};
    sum.lines = 10, sum.cells = 20, sum.rows = 3, sum.columns = 4, sum.pixel_pulses = pixel_pulses;
    return sum;
}

TEST(WorkCost, OfBackProjectionIsItsPixelPulses) {
    FactorisedAccumulation factorised{};
    factorised.sum = sum_of(120), factorised.relative_cost = 0.25;
    EXPECT_EQ(cost_of(step_of(sum_of(120))), (WorkCost{0, 0, 120}));
    EXPECT_EQ(cost_of(step_of(factorised)), (WorkCost{0, 0, 30, 30}));
    factorised.raised = true;
    EXPECT_EQ(cost_of(step_of(factorised)), (WorkCost{0, 0, 30, 30, 30}));
    EXPECT_EQ(cost_of(step_of(CornerTurn{100, 100})), WorkCost{});
}

TEST(WorkCost, OfStepsAddsUpAndBecomesTime) {
    const Steps steps{step_of(AzimuthSpectrum{7, 1000, 1024}), step_of(sum_of(7))};
    const WorkCost all = cost_of(steps);
    EXPECT_EQ(all.operations, cost_of(steps[0]).operations);
    EXPECT_EQ(all.pixel_pulses, 7);
    EXPECT_DOUBLE_EQ(
        seconds_of(2 * WorkCost{100, 30, 8}, {.bytes_per_s = 10, .operations_per_s = 5, .pixel_pulses_per_s = 2}),
        20 + 12 + 8);
    EXPECT_DOUBLE_EQ(
        seconds_of(WorkCost{0, 0, 8, 6},
                   {.bytes_per_s = 1, .operations_per_s = 1, .pixel_pulses_per_s = 2, .factorised_pulses_per_s = 0.5}),
        1 + 12);
    EXPECT_DOUBLE_EQ(seconds_of(2 * WorkCost{0, 0, 8, 6, 5}, {.bytes_per_s = 1,
                                                              .operations_per_s = 1,
                                                              .pixel_pulses_per_s = 2,
                                                              .factorised_pulses_per_s = 0.5,
                                                              .raised_pulses_per_s = 4}),
                     2 * (1 + 2 + 1.25));
}

}  // namespace
}  // namespace cornerturn
