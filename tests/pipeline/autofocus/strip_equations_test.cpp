// SPDX-License-Identifier: Apache-2.0
#include "pipeline/autofocus/strip_equations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "pipeline/autofocus/strip.h"

namespace cornerturn {
namespace {

/// Short looks at a long phase, each but for a line of its own, give it back but for one line.
TEST(StripEquations, OverlappingLooksCarryThePhaseAlong) {
    constexpr std::int64_t knots = 200, look = 24;
    std::vector<double> truth;
    for (std::int64_t i = 0; i < knots; ++i) {
        const double u = static_cast<double>(i) / knots;
        truth.push_back(30 * u * u + 2 * std::sin(2 * std::numbers::pi * 5 * u));
    }
    std::mt19937 random(4);
    std::uniform_real_distribution<double> even(0.2, 1);
    StripEquations equations(knots, look);
    for (std::int64_t first = 0; first + look <= knots; first += 5) {
        std::vector<double> weights, values;
        for (std::int64_t i = 0; i < look; ++i) {
            weights.push_back(even(random));
            values.push_back(truth[static_cast<std::size_t>(first + i)] + 3.0 * static_cast<double>(first) -
                             0.5 * static_cast<double>(i * first));
        }
        equations.add(first, weights, values);
    }
    equations.add_smoothness(1e-9);
    std::vector<double> found = equations.solve();
    for (std::size_t i = 0; i < found.size(); ++i) found[i] -= truth[i];
    const std::vector<double> all(found.size(), 1.0);
    remove_line(found, all);
    EXPECT_LT(rms_rad(found, all), 5e-3);  // what the smoothness bends
}

TEST(StripPhases, WhatIsStraightDoesNotBend) {
    std::vector<double> phase(500);
    const std::vector<double> all(phase.size(), 1.0);
    for (std::size_t i = 0; i < phase.size(); ++i) phase[i] = 3 + 0.1 * static_cast<double>(i);
    EXPECT_NEAR(bend_rad(phase, all, 100), 0, 1e-9);
    // q x^2 over an aperture [-1, 1] leaves q sqrt(4/45) beside its mean.
    for (std::size_t i = 0; i < phase.size(); ++i) phase[i] += 0.5 * std::pow((static_cast<double>(i) - 250) / 50, 2);
    EXPECT_NEAR(bend_rad(phase, all, 100), 0.5 * std::sqrt(4.0 / 45), 0.005);
    remove_line(phase, all);
    EXPECT_NEAR(std::accumulate(phase.begin(), phase.end(), 0.0), 0, 1e-6);
}

}  // namespace
}  // namespace cornerturn
