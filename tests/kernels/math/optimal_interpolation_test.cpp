// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/optimal_interpolation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tests/support/phasor.h"

namespace cornerturn {
namespace {

/// Of the response at a frequency to what it should be.
std::complex<double> response(const OptimalInterpolation& interpolation, double fraction, int moment,
                              double frequency) {
    std::complex<double> sum;
    const std::vector<double> w = interpolation.weights(fraction, moment);
    for (int tap = 0; tap < interpolation.taps(); ++tap)
        sum += w[static_cast<std::size_t>(tap)] * phasor(frequency * (tap - interpolation.taps() / 2 + 1 - fraction));
    return moment % 2 == 0 ? sum : std::complex<double>(0, 1) * sum;
}

TEST(OptimalInterpolation, HasTheErrorThatItTells) {
    for (const int taps : {6, 8, 12}) {
        const double highest = 0.3;
        const OptimalInterpolation interpolation(taps, PowerOverFrequency::flat(highest));
        double sum = 0;
        int count = 0;
        for (const double fraction : {0.05, 0.15, 0.25, 0.35, 0.45})
            for (double part = -0.995; part < 1; part += 0.01, ++count)
                sum += std::norm(response(interpolation, fraction, 0, part * highest) - 1.0);
        EXPECT_NEAR(10 * std::log10(sum / count), 10 * std::log10(interpolation.mean_square_error()), 1.0) << taps;
    }
}

/// Powers of frequency, which windows are made of: with ten taps over 0.6 of the band to 5e-3 of full scale even at its
/// edges.
TEST(OptimalInterpolation, FiltersByPowersOfFrequency) {
    const double highest = 0.3;
    const OptimalInterpolation interpolation(10, PowerOverFrequency::flat(highest));
    for (int moment = 0; moment < 4; ++moment)
        for (const double fraction : {0.0, 0.3, 0.5, 0.9})
            for (double part = -0.9; part < 1; part += 0.2)
                EXPECT_NEAR(
                    std::abs(response(interpolation, fraction, moment, part * highest) - std::pow(part, moment)), 0,
                    5e-3)
                    << moment << " at " << fraction << ", " << part;
}

TEST(OptimalInterpolation, OfCellsThemselvesIsThoseCells) {
    const OptimalInterpolation interpolation(8, PowerOverFrequency::flat(0.25));
    const std::vector<double> w = interpolation.weights(0);
    for (int tap = 0; tap < 8; ++tap) EXPECT_NEAR(w[static_cast<std::size_t>(tap)], tap == 3 ? 1 : 0, 1e-6);
}

TEST(OptimalInterpolation, TablesRunStraightBetweenFractions) {
    const OptimalInterpolation interpolation(8, PowerOverFrequency::flat(0.25));
    const InterpolationTable<float> table(interpolation);
    const double fraction = 0.3, at = fraction * InterpolationTable<float>::fractions;
    const int nearest = static_cast<int>(std::lround(at));
    const std::vector<double> exact = interpolation.weights(fraction);
    for (int tap = 0; tap < 8; ++tap)
        EXPECT_NEAR(table.weights(nearest)[tap] +
                        (at - nearest) / InterpolationTable<float>::fractions * table.slopes(nearest)[tap],
                    exact[static_cast<std::size_t>(tap)], 1e-5);
}

TEST(OptimalInterpolation, RefusesOddNumbersOfTaps) {
    EXPECT_THROW(OptimalInterpolation(7, PowerOverFrequency::flat(0.3)), std::logic_error);
}

}  // namespace
}  // namespace cornerturn
