// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/pulse_times.h"

#include <gtest/gtest.h>

#include <vector>

namespace cornerturn {
namespace {

TEST(PulseTimesTest, EvenOnesFollowThePrf) {
    EXPECT_DOUBLE_EQ(time_of_line_s(10, 4, {}, 6), 11.5);
    EXPECT_DOUBLE_EQ(line_at_time(10, 4, {}, 11.5), 6);
}

TEST(PulseTimesTest, UnevenOnesRunStraightBetweenPulsesAndGoOnAtThePrf) {
    const std::vector<double> times_s{10, 10.3, 10.5, 11};
    for (const auto& [line, time_s] :
         {std::pair{-2.0, 9.5}, {0.0, 10.0}, {0.5, 10.15}, {2.0, 10.5}, {2.5, 10.75}, {3.0, 11.0}, {4.0, 11.25}}) {
        EXPECT_NEAR(time_of_line_s(10, 4, times_s, line), time_s, 1e-12);
        EXPECT_NEAR(line_at_time(10, 4, times_s, time_s), line, 1e-12);
    }
}

TEST(PulseTimesTest, LostPulsesAreNoDither) {
    EXPECT_FALSE(are_dithered(4, std::vector{10.0, 10.25, 10.75, 11.0}));
    EXPECT_TRUE(are_dithered(4, std::vector{10.0, 10.25, 10.51, 10.75}));
    EXPECT_FALSE(are_dithered(4, {}));
}

}  // namespace
}  // namespace cornerturn
