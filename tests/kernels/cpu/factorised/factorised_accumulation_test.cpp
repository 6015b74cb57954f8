// SPDX-License-Identifier: Apache-2.0
// Factorised back-projection against the sum that it stands for, taken exactly of what the lines were sampled from.
#include "kernels/cpu/factorised/factorised_accumulation.h"

#include "kernels/cpu/factorised/factor_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/back_projection/factor_laws.h"
#include "kernels/back_projection/factorisation.h"
#include "kernels/errors.h"
#include "tests/kernels/factor_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// Each error holds, and is not held by far more than was asked for: that would be paid in time.
TEST(FactorisedAccumulation, HoldsTheErrorThatWasChosen) {
    for (const double allowed_db : {-40.0, -60.0, -80.0}) {
        const double db = measured_db<float>({}, allowed_db);
        EXPECT_LE(db, allowed_db);
        EXPECT_GE(db, allowed_db - 15);
    }
}

/// Under squint near the antenna phases bend by a quarter of a cycle over the nodes that go through together.
TEST(FactorisedAccumulation, TurnsNodesWhosePhaseBends) {
    constexpr int count = nodes_at_a_time, room = 64;
    constexpr double tolerance = 3e-4, half = 0.5 * (count - 1);
    const InterpolationTable<float> table(OptimalInterpolation(8, PowerOverFrequency::flat(0.2)));
    const std::vector<float> flat(2 * room, 1.0f);  // both parts: 1 + j
    for (const double arch : {0.0, 2e-5, 2e-4, 5e-3})
        for (const double cube : {0.0, 3e-5}) {
            RowShift<float> shift(1);
            shift.middle = {24.0}, shift.cycles = {12345.3}, shift.turn = {0.11};
            shift.arch = {arch}, shift.cube = {cube}, shift.tolerance = tolerance;
            std::vector<float> sum(2 * count, 0.0f);
            add_shifted(table, RowRuns<float>{flat.data(), room, 0, 1}, shift, 1, PlanarRow<float>{sum.data(), count});
            for (int i = 0; i < count; ++i) {
                const double off = i - half;
                const Complex<double> exact =
                    Complex<double>{1, 1} * unit_phasor<double>(12345.3 + off * (0.11 + off * (arch + off * cube)));
                EXPECT_NEAR(sum[static_cast<std::size_t>(i)], exact.re, 4 * tolerance) << arch << " " << cube;
                EXPECT_NEAR(sum[static_cast<std::size_t>(count + i)], exact.im, 4 * tolerance) << arch << " " << cube;
            }
        }
}

TEST(FactorisedAccumulation, HoldsItInDoublePrecision) { EXPECT_LE(measured_db<double>({}, -60), -60); }

TEST(FactorisedAccumulation, TakesTheDopplerWindowWhereItFades) {
    EXPECT_LE(measured_db<float>({.window = 0.6}, -60), -60);
}

/// A line by itself has no band that a window could change over, a single column no frequencies that differ.
TEST(FactorisedAccumulation, TakesALastBlockOfOneLine) {
    const double db = measured_db<float>({.window = 1.2}, -60, [](FactorScene scene, const Factorisation& factors) {
        scene.lines = scene.lines / factors.block_lines * factors.block_lines + 1;
        scene.columns = 1;
        return scene;
    });
    EXPECT_LE(db, -55);  // five pixels are looked at, whose errors scatter by some dB
}

TEST(FactorisedAccumulation, TakesHeightsOfSinglePixels) {
    for (const double hills_m : {0.01, 2.0, 20.0}) {
        const double db = measured_db<float>({.hills_m = hills_m}, -60);
        printf("%g m: %.1f dB\n", hills_m, db);
        EXPECT_LE(db, -60) << hills_m;
    }
    for (const FactorScene& scene : {FactorScene{.squint_deg = 6, .hills_m = 20}, FactorScene{.squint_deg = 6, .window = 0.6, .hills_m = 20}, FactorScene{.columns = 97, .hills_m = 20, .nearer = true}, FactorScene{.window=0.6,.jitter_m=5,.hills_m=20}}) {
        const double db = measured_db<float>(scene, -60);
        printf("%.1f dB\n", db);
        EXPECT_LE(db, -60);
    }
}

/// As on maps that are seen from the east.
TEST(FactorisedAccumulation, FollowsRangesThatFall) {
    EXPECT_LE(measured_db<float>({.columns = 97, .nearer = true}, -60), -60);
    EXPECT_LE(measured_db<float>({.squint_deg = 6, .columns = 97, .window = 0.6, .nearer = true}, -60), -60);
}

TEST(FactorisedAccumulation, FollowsSquint) {
    EXPECT_LE(measured_db<float>({.squint_deg = 6, .window = 0.6}, -60), -60);
}

/// An antenna that looks down so much more steeply from one line that cells lie half as far apart there.
TEST(FactorisedAccumulation, RefusesCellsThatDoNotFollowTheRanges) {
    const FactorScene scene;
    FactorCase of = case_of(scene, -60);
    std::string why;
    const auto plan = cheapest_factorisation(of.needs, why);
    ASSERT_TRUE(plan) << why;
    of.pass.factors = plan->factors;
    of.pass.range_power = of.needs.range_power;
    of.pass.cells_per_column = plan->cells_per_column;
    of.pass.node_bytes_of_column = plan->node_bytes_per_column;
    of.pass.widest_strip = 70;
    constexpr double steep = 70 * std::numbers::pi / 180;
    Place& antenna = of.geometry.paths[301].start;
    antenna = {antenna.x_m, -scene.range_m * std::cos(steep), scene.range_m * std::sin(steep)};
    of.pass.sum.geometry = [geometry = of.geometry] { return geometry; };
    of.lines.resize(static_cast<std::size_t>(of.pass.sum.lines * of.pass.sum.cells));
    EXPECT_THROW(image_of<float>(of), InputError);
}

TEST(FactorLaws, AreTheSameAtManyPlacesAtOnce) {
    const ChebyshevSeries series(-2, 5, {1, -0.5, 0.25, 0.125, -3, 0.7});
    std::vector<double> got(131);
    values_along(series, -3, 0.07, got.size(), got.data());
    for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], series(-3 + 0.07 * static_cast<double>(i)), 1e-11) << i;
    values_along(ChebyshevSeries(), 0, 1, 2, got.data());
    EXPECT_EQ(got[1], 0);
}

TEST(FactorisedAccumulation, TakesBandsThatNearlyFillTheColumns) {
    EXPECT_LE(measured_db<float>({.fill = 0.95}, -60), -60);
}

TEST(Factorisation, GainsMoreTheLongerTheAperture) {
    std::string why;
    double before = 1.5;
    for (const std::int64_t lines : {350, 1400, 5600}) {
        const FactorScene scene{.range_m = 12e3 * static_cast<double>(lines) / 700, .lines = lines, .rows = lines};
        const auto plan = cheapest_factorisation(case_of(scene, -60).needs, why);
        ASSERT_TRUE(plan) << why;
        EXPECT_LT(plan->cost, 0.6 * before) << lines;
        before = plan->cost;
    }
}

TEST(Factorisation, LeavesShortSumsAsTheyAre) {
    std::string why;
    EXPECT_FALSE(cheapest_factorisation(case_of({.aperture_deg = 0.1, .lines = 20, .rows = 20}, -60).needs, why));
    expect_in(why, "-60 dB costs");
}

/// Blocks over which the window moves from column to column are taken apart, and looks at it are paid for.
TEST(Factorisation, CostsMoreWhereTheWindowMovesAlongRows) {
    FactorScene scene;
    scene.window = 0.8;
    FactorisationNeeds needs = case_of(scene, -60).needs;
    std::string why;
    const auto level = cheapest_factorisation(needs, why);
    ASSERT_TRUE(level) << why;
    needs.hz_per_column = 2 * needs.window.bandwidth_hz / static_cast<double>(needs.columns);
    needs.slide_per_column = 0.05;
    needs.arch_cycles = 1e-3;
    const auto moving = cheapest_factorisation(needs, why);
    EXPECT_TRUE(!moving || moving->cost > 2 * level->cost) << moving->cost << " after " << level->cost;
}

TEST(Factorisation, CostsMoreForLessError) {
    std::string why;
    const auto rough = cheapest_factorisation(case_of({}, -40).needs, why),
               fine = cheapest_factorisation(case_of({}, -80).needs, why);
    ASSERT_TRUE(rough && fine) << why;
    EXPECT_LT(rough->cost, fine->cost);
    EXPECT_LE(rough->error_db, -40);
    EXPECT_LE(fine->error_db, -80);
}

}  // namespace
}  // namespace cornerturn
