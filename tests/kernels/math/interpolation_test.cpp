// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/interpolation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace cornerturn {
namespace {

TEST(Interpolation, PolynomialsFollowTheKernel) {
    for (int taps : {8, 12, 16}) {
        const SincKernel kernel = SincKernel::for_band(taps, 0.8);
        const auto in_float = polynomials<float>(kernel);
        const auto in_double = polynomials<double>(kernel);
        for (int tap = 0; tap < taps; ++tap)
            for (int i = 0; i <= 100; ++i) {
                const double u = i / 100.0 - 0.5;
                const double exact = kernel.weight(tap - taps / 2 + 1 - (u + 0.5));
                EXPECT_NEAR(in_float.weight(tap, static_cast<float>(u)), exact,
                            2.5e-7);  // four roundings of a value below 1
                EXPECT_NEAR(in_double.weight(tap, u), exact, 2e-14);
            }
    }
}

TEST(Interpolation, MirroredTapsHaveTheirOwnWeights) {
    for (int taps : {8, 12, 16}) {
        const auto weights = polynomials<float>(SincKernel::for_band(taps, 0.8));
        for (int tap = 0; tap < taps / 2; ++tap)
            for (const float u : {-0.5f, -0.31f, 0.0f, 0.07f, 0.49f}) {
                const TapPair<float> pair = weights.mirrored(tap, u);
                EXPECT_NEAR(pair.left, weights.weight(tap, u), 3e-7);
                EXPECT_NEAR(pair.right, weights.weight(taps - 1 - tap, u), 3e-7);
            }
    }
}

TEST(Interpolation, SamplePositionsReadTheSample) {
    const auto weights = polynomials<double>(SincKernel::for_band(16, 0.93));
    for (int tap = 0; tap < 16; ++tap) EXPECT_NEAR(weights.weight(tap, -0.5), tap == 7 ? 1 : 0, 2e-14);
}

/// Mean square error over the band after division by the mean response. Independent figures: NumPy, beta least over the
/// nodes of this test; ours is least over other nodes, which moves the steep band edge by up to 0.4 dB.
TEST(Interpolation, ErrorOverTheBandIsTheKnownOne) {
    struct Case {
        int taps;
        double band, error_db;
    };
    for (const Case c : {Case{8, 0.72, -47.3}, Case{16, 0.83, -56.8}, Case{8, 0.93, -25.0}, Case{12, 0.93, -30.5},
                         Case{16, 0.93, -35.4}}) {
        const SincKernel kernel = SincKernel::for_band(c.taps, c.band);
        const MeanResponse mean_response(kernel);
        double total = 0;
        int count = 0;
        for (int k = -200; k <= 200; ++k) {
            const double frequency = c.band / 2 * k / 200;
            for (int i = 0; i < 40; ++i, ++count) {
                const double fraction = (i + 0.5) / 40;
                double re = 0, im = 0;
                for (int tap = 0; tap < c.taps; ++tap) {
                    const double d = tap - c.taps / 2 + 1 - fraction;
                    re += kernel.weight(d) * std::cos(2 * std::numbers::pi * frequency * d);
                    im += kernel.weight(d) * std::sin(2 * std::numbers::pi * frequency * d);
                }
                const double mean = mean_response(frequency);
                total += std::pow(re / mean - 1, 2) + std::pow(im / mean, 2);
            }
        }
        EXPECT_NEAR(10 * std::log10(total / count), c.error_db, 0.5) << c.taps << " taps, band " << c.band;
    }
}

TEST(Interpolation, RefusesOtherNumbersOfTaps) {
    EXPECT_THROW(SincKernel::for_band(10, 0.9), std::logic_error);
    EXPECT_THROW(SincKernel::for_band(16, 1.1), std::logic_error);
}

}  // namespace
}  // namespace cornerturn
