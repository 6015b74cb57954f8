// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/response_width.h"

#include <gtest/gtest.h>

#include "tests/support/phasor.h"

namespace cornerturn {
namespace {

/// Flat, of a point so many 1 / bandwidths from the middle.
std::vector<std::complex<double>> band_of_point(std::size_t count, double place, double phase_cycles) {
    std::vector<std::complex<double>> band;
    for (std::size_t k = 0; k < count; ++k)
        band.push_back(
            phasor(phase_cycles - place * ((static_cast<double>(k) + 0.5) / static_cast<double>(count) - 0.5)));
    return band;
}

/// sin^2 (pi x) / (pi x)^2 falls to one half at x = 0.442946; points of it are looked at 0.05 apart.
TEST(ResponseWidth, IsThatOfASincWhereverThePointLies) {
    for (const double place : {0.0, 0.3, -2.45}) {
        const BandResponse response = response_of(band_of_point(401, place, 0.125));
        EXPECT_NEAR(response.width, 2 * 0.442946, 2e-3) << place;
        EXPECT_NEAR(response.place, place, 2e-3);
    }
    EXPECT_NEAR(response_of(band_of_point(401, 0, 0.125)).phase_cycles, 0.125, 1e-12);
}

/// Half of a band makes twice the width.
TEST(ResponseWidth, GrowsAsTheBandShrinks) {
    std::vector<std::complex<double>> half = band_of_point(400, 0, 0);
    for (std::size_t k = 0; k < 100; ++k) half[k] = half[399 - k] = 0;
    EXPECT_NEAR(response_of(half).width, 4 * 0.442946, 4e-3);
}

}  // namespace
}  // namespace cornerturn
