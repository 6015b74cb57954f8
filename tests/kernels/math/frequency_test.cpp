// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/frequency.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cornerturn {
namespace {

TEST(Frequency, OfAnAzimuthBinIsItsAliasAboutTheCentroid) {
    for (const double centroid_hz : {0.0, 300.0, -6900.0, 41999.5})
        for (const long long length : {7LL, 8LL, 61LL})
            for (long long bin = 0; bin < length; ++bin) {
                const double prf_hz = 1257, f_hz = azimuth_frequency_hz(bin, length, prf_hz, centroid_hz);
                EXPECT_GT(f_hz, centroid_hz - 0.5 * prf_hz - 1e-9);
                EXPECT_LE(f_hz, centroid_hz + 0.5 * prf_hz + 1e-9);
                const double turns = (f_hz - static_cast<double>(bin) * prf_hz / static_cast<double>(length)) / prf_hz;
                EXPECT_NEAR(turns, std::round(turns), 1e-9) << bin << " of " << length;
            }
    EXPECT_EQ(azimuth_frequency_hz(0, 8, 800, 0), 0);
    EXPECT_EQ(azimuth_frequency_hz(3, 8, 800, 0), 300);
    EXPECT_EQ(azimuth_frequency_hz(4, 8, 800, 0), 400) << "the upper edge belongs to it, the lower one does not";
    EXPECT_EQ(azimuth_frequency_hz(7, 8, 800, 0), -100);
    EXPECT_EQ(azimuth_frequency_hz(7, 8, 800, 1000), 700);
    EXPECT_EQ(azimuth_frequency_hz(0, 1, 800, 5000), 4800);
}

TEST(Frequency, OfARangeBinIsNegativeInTheUpperHalf) {
    EXPECT_EQ(range_frequency_hz(0, 8, 80), 0);
    EXPECT_EQ(range_frequency_hz(3, 8, 80), 30);
    EXPECT_EQ(range_frequency_hz(4, 8, 80), -40);
    EXPECT_EQ(range_frequency_hz(7, 8, 80), -10);
    EXPECT_EQ(range_frequency_hz(3, 7, 70), 30);
    EXPECT_EQ(range_frequency_hz(4, 7, 70), -30);
    EXPECT_EQ(range_frequency_hz(0, 1, 70), 0);
}

}  // namespace
}  // namespace cornerturn
