// SPDX-License-Identifier: Apache-2.0
#include "pipeline/estimate/look_shift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cornerturn {
namespace {

constexpr ImageGrid grid{
    .rows = 400, .columns = 300, .first_time_s = 7, .time_spacing_s = 1e-3, .near_range_m = 9e5, .range_spacing_m = 5};

/// Spots of three cells' width upon ground whose amplitudes scatter by themselves; `later` and `farther` in cells.
Look spots(double later, double farther, unsigned speckle, int count = 60, const ImageGrid& on = grid) {
    Look look{
        .grid = on, .amplitude = std::vector<float>(static_cast<std::size_t>(on.rows * on.columns)), .frequency_hz = 0};
    std::mt19937 ground(speckle), places(3);
    std::exponential_distribution<float> power(1.0f);
    for (float& a : look.amplitude) a = std::sqrt(power(ground));
    std::uniform_real_distribution<double> part(0.03, 0.97);
    for (int i = 0; i < count; ++i) {
        const double row = part(places) * static_cast<double>(grid.rows) + later,
                     column = part(places) * static_cast<double>(grid.columns) + farther;
        for (auto r = static_cast<std::int64_t>(row) - 6; r < static_cast<std::int64_t>(row) + 8; ++r)
            for (auto c = static_cast<std::int64_t>(column) - 6; c < static_cast<std::int64_t>(column) + 8; ++c) {
                if (r < 0 || c < 0 || r >= on.rows || c >= on.columns) continue;
                const double off =
                    std::pow(static_cast<double>(r) - row, 2) + std::pow(static_cast<double>(c) - column, 2);
                look.amplitude[static_cast<std::size_t>(r * on.columns + c)] +=
                    static_cast<float>(8 * std::exp(-off / 4.5));
            }
    }
    return look;
}

TEST(LookShift, IsThatOfWhatBothShow) {
    const auto shift = shift_of(spots(0, 0, 1), spots(2.3, -1.4, 2), {.time_s = 10e-3, .range_m = 30});
    ASSERT_TRUE(shift);
    // Speckle, and tiles that overlap the less the farther they are shifted: 0.05 cells each.
    EXPECT_NEAR(shift->time_s, 2.3e-3, 0.15e-3);
    EXPECT_NEAR(shift->range_m, -1.4 * 5, 0.15 * 5);
    EXPECT_LT(shift->time_error_s, 0.1e-3);
    EXPECT_LT(shift->range_error_m, 0.1 * 5);
    EXPECT_GT(shift->standing_out, 20);
    EXPECT_EQ(shift->tiles, 16);
}

TEST(LookShift, FarShiftsAreFoundInAveragedCells) {
    const auto shift = shift_of(spots(0, 0, 1, 20), spots(75, -30, 2, 20), {.time_s = 100e-3, .range_m = 200});
    ASSERT_TRUE(shift);
    EXPECT_NEAR(shift->time_s, 75e-3, 2e-3);  // cells of three rows
    EXPECT_NEAR(shift->range_m, -30 * 5, 5);
}

/// Grids that begin elsewhere are no shift of the ground.
TEST(LookShift, CountsWhereGridsBegin) {
    ImageGrid elsewhere = grid;
    elsewhere.first_time_s += 3e-3;
    elsewhere.near_range_m += 6.5;
    const auto shift = shift_of(spots(0, 0, 1), spots(-3, -1.3, 2, 60, elsewhere), {.time_s = 10e-3, .range_m = 30});
    ASSERT_TRUE(shift);
    EXPECT_NEAR(shift->time_s, 0, 0.08e-3);
    EXPECT_NEAR(shift->range_m, 0, 0.08 * 5);
}

TEST(LookShift, SpeckleDoesNotStandOut) {
    for (unsigned seed = 1; seed < 12; seed += 2) {
        const auto shift = shift_of(spots(0, 0, seed, 0), spots(0, 0, seed + 1, 0), {.time_s = 30e-3, .range_m = 100});
        ASSERT_TRUE(shift);
        EXPECT_LT(shift->standing_out, 6);
    }
}

TEST(LookShift, TooLittleCommonGroundSaysNothing) {
    ImageGrid behind = grid;
    behind.first_time_s += 0.39;
    EXPECT_FALSE(shift_of(spots(0, 0, 1), spots(0, 0, 2, 60, behind), {.time_s = 10e-3, .range_m = 30}));
    behind.first_time_s += 1;
    EXPECT_FALSE(shift_of(spots(0, 0, 1), spots(0, 0, 2, 60, behind), {.time_s = 10e-3, .range_m = 30}));
}

}  // namespace
}  // namespace cornerturn
