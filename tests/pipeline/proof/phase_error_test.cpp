// SPDX-License-Identifier: Apache-2.0
#include "pipeline/proof/phase_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "pipeline/proof/simulator.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

TEST(PhaseErrorOfLines, HasTheSizesThatAreAskedFor) {
    const std::vector<double> quadratic = phases_rad({.quadratic_rad = 3}, 101);
    EXPECT_DOUBLE_EQ(quadratic.front() - quadratic[50], 3);
    EXPECT_DOUBLE_EQ(quadratic.back() - quadratic[50], 3);
    EXPECT_DOUBLE_EQ(quadratic[75], 0.75);
    const std::vector<double> sine = phases_rad({.sine_rad = 2, .sine_cycles = 5}, 101);
    EXPECT_NEAR(sine[5], 2, 1e-12);  // a quarter of 20 lines
    EXPECT_NEAR(sine[15], -2, 1e-12);
    EXPECT_NEAR(sine.back(), 0, 1e-12);
    EXPECT_EQ(phases_rad({}, 1), std::vector<double>{0});
}

/// Ends of many walks scatter by what was asked for; the same seed walks the same way.
TEST(PhaseErrorOfLines, WalksAtRandom) {
    constexpr int walks = 2000;
    double sum = 0, square = 0;
    for (int seed = 0; seed < walks; ++seed) {
        const std::vector<double> walk =
            phases_rad({.walk_rad = 1.5, .walk_seed = static_cast<std::uint64_t>(seed)}, 65);
        EXPECT_EQ(walk.front(), 0);
        sum += walk.back();
        square += walk.back() * walk.back();
    }
    EXPECT_NEAR(sum / walks, 0, 4 * 1.5 / std::sqrt(walks));
    EXPECT_NEAR(std::sqrt(square / walks), 1.5, 4 * 1.5 / std::sqrt(2.0 * walks));
    EXPECT_EQ(phases_rad({.walk_rad = 1, .walk_seed = 7}, 50), phases_rad({.walk_rad = 1, .walk_seed = 7}, 50));
    EXPECT_NE(phases_rad({.walk_rad = 1, .walk_seed = 7}, 50), phases_rad({.walk_rad = 1, .walk_seed = 8}, 50));
}

/// The echo is that of the plain scene, line by line times the phase that the truth tells; lost pulses leave theirs
/// out.
TEST(PhaseErrorOfLines, IsOnTheEcho) {
    Scene plain = small_scene(300, 500);
    plain.targets = {{SceneTarget{BeamCentrePosition{150, 100.5}, 1.0, 20}}};
    for (const double lost : {0.0, 0.1}) {
        plain.lost_lines = lost;
        Scene turned = plain;
        turned.phase_error = {.quadratic_rad = 4, .sine_rad = 1, .sine_cycles = 3, .walk_rad = 2};
        const Echo a = simulate(plain), b = simulate(turned);
        EXPECT_TRUE(a.acquisition.true_phase_error_rad.empty());
        ASSERT_EQ(std::ssize(b.acquisition.true_phase_error_rad), b.acquisition.lines);
        const auto *from = reinterpret_cast<const std::complex<float>*>(a.samples.data()),
                   *to = reinterpret_cast<const std::complex<float>*>(b.samples.data());
        double largest = 0;
        for (std::int64_t line = 0; line < a.acquisition.lines; ++line)
            for (std::int64_t k = 0; k < 500; ++k) {
                const std::complex<double> expected =
                    std::complex<double>(from[line * 500 + k]) *
                    std::polar(1.0, b.acquisition.true_phase_error_rad[static_cast<std::size_t>(line)]);
                largest = std::max(largest, std::abs(expected - std::complex<double>(to[line * 500 + k])));
            }
        EXPECT_LT(largest, 3e-7);  // single precision
    }
}

}  // namespace
}  // namespace cornerturn
