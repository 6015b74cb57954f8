// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/bessel.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cornerturn {
namespace {

TEST(Bessel, OfOrderZeroIsThatOfTheStandardLibrary) {
    for (double x = 0; x <= 100; x += 0.37) {
        const double expected = std::cyl_bessel_i(0.0, x);
        EXPECT_NEAR(bessel_i0(x) / expected, 1, 1e-13) << x;
    }
    EXPECT_EQ(bessel_i0(0), 1);
}

}  // namespace
}  // namespace cornerturn
