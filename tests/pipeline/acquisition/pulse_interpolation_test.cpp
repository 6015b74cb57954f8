// SPDX-License-Identifier: Apache-2.0

#include "pipeline/acquisition/pulse_interpolation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/math/complex.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

double error_of_interpolation(const std::vector<double>& times, double band, double frequency) {
    const std::vector<double> weights = interpolation_weights(times, band);
    Complex128 sum{0, 0};
    for (std::size_t i = 0; i < times.size(); ++i) sum = sum + weights[i] * unit_phasor<double>(frequency * times[i]);
    return std::hypot(sum.re - 1, sum.im);
}

TEST(PulseInterpolationTest, EstimatesWhatLiesInTheBand) {
    std::vector<double> times;
    for (int i = -8; i < 8; ++i) times.push_back(i + 0.4 + 0.05 * std::sin(12.9 * i));
    for (const double frequency : {-0.39, -0.2, 0.0, 0.3, 0.39})
        EXPECT_LT(error_of_interpolation(times, 0.8, frequency), 2e-3) << frequency;
    EXPECT_GT(error_of_interpolation(times, 0.8, 0.49), 1e-2);  // the edge of the PRF is not promised
}

TEST(PulseInterpolationTest, TakesAPulseAtTheWantedTimeAsItIs) {
    EXPECT_EQ(interpolation_weights(std::vector{-1.1, 0.0, 0.9}, 0.8), (std::vector{0.0, 1.0, 0.0}));
}

TEST(PulseInterpolationTest, MeetsALostPulseFromBothSides) {
    std::vector<double> times;
    for (int i = -8; i <= 8; ++i)
        if (i != 0) times.push_back(i);
    const std::vector<double> weights = interpolation_weights(times, 0.7);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(weights[i], weights[15 - i], 1e-6);
    EXPECT_LT(error_of_interpolation(times, 0.7, 0.2), 0.01);
}

}  // namespace
}  // namespace cornerturn
