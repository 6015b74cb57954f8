// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/phasor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace cornerturn {
namespace {

TEST(Phasor, FloatFollowsTheCircle) {
    double worst = 0;
    for (int i = -200000; i <= 200000; ++i) {
        const double cycles = i / 65536.0;
        const auto p = unit_phasor<float>(cycles);
        worst = std::max(worst, std::hypot(p.re - std::cos(2 * std::numbers::pi * cycles),
                                           p.im - std::sin(2 * std::numbers::pi * cycles)));
    }
    EXPECT_LT(worst, 1.5e-7);  // two units in the last place of 1
}

TEST(Phasor, ManyCyclesCostNoAccuracy) {
    for (double cycles : {1e3, 1e6, 1e8, -1e8}) {
        const auto p = unit_phasor<float>(cycles + 0.125);
        EXPECT_NEAR(p.re, std::numbers::sqrt2 / 2, 2e-7)
            << cycles;  // 1e8 cycles leave 1.5e-8 cycles of a double's fraction: 1e-7 rad
        EXPECT_NEAR(p.im, std::numbers::sqrt2 / 2, 2e-7) << cycles;
    }
}

TEST(Phasor, QuartersOfATurnAreExact) {
    const float expected[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int quarter = -8; quarter < 8; ++quarter) {
        const auto p = unit_phasor<float>(quarter * 0.25);
        EXPECT_EQ(p.re, expected[quarter & 3][0]) << quarter;
        EXPECT_EQ(p.im, expected[quarter & 3][1]) << quarter;
    }
}

}  // namespace
}  // namespace cornerturn
