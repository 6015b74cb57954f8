// SPDX-License-Identifier: Apache-2.0
// Factorised back-projection against the sum that it stands for, taken exactly of what the lines were sampled from.
#include "kernels/cpu/factorised/factorised_accumulation.h"

#include "kernels/cpu/factorised/factor_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "kernels/back_projection/factor_laws.h"
#include "kernels/back_projection/factorisation.h"
#include "kernels/back_projection/raised_pixel.h"
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

/// Up to 60 wavelengths of range and 45 columns beside the smooth surface, along a track that is not straight.
TEST(FactorisedAccumulation, TakesHeightsOfSinglePixels) {
    EXPECT_LE(measured_db<float>({.hills_m = 20}, -60), -60);
    EXPECT_LE(measured_db<double>({.columns = 70, .hills_m = 2}, -60), -60);
}

TEST(FactorisedAccumulation, TakesHeightsUnderAWindowThatFades) {
    EXPECT_LE(measured_db<float>({.squint_deg = 6, .window = 0.6, .hills_m = 20}, -60), -60);
}

TEST(FactorisedAccumulation, TakesHeightsWhereRangesFall) {
    EXPECT_LE(measured_db<float>({.columns = 97, .hills_m = 20, .nearer = true}, -60), -60);
}

/// No place below the track has the range of a pixel that lies higher than the antenna.
TEST(FactorisedAccumulation, RefusesHeightsThatNoPlaceOfTheSurfaceSeesAlike) {
    FactorCase of = case_of({.hills_m = 11e3}, -60);
    std::string why;
    const auto plan = cheapest_factorisation(of.needs, why);
    ASSERT_TRUE(plan) << why;
    of.pass.factors = plan->factors;
    expect_refused([&] { factorised_accumulation_plan<float>(of.pass, 1); }, {"--dem", "backprojection"});
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

TEST(BandTurn, IsWhatThePhasesOfSomeLinesSay) {
    const auto phase = [](double p) { return 3.0 * p - 0.2 * p * p + 0.05 * p * p * p; };
    constexpr double all[][turn_lines] = {{-1, -0.3, 0.4, 1}, {0, 0.3, 0.7, 1}, {-1e-3, -4e-4, 3e-4, 1e-3}};
    for (const auto& places : all) {  // the second: from the middle line on
        double rad[turn_lines];
        for (int i = 0; i < turn_lines; ++i) rad[i] = phase(places[i]);
        const BandTurn turn = band_turn(places, rad);
        const double scale = std::fabs(places[turn_lines - 1]);
        EXPECT_NEAR(scale * turn.slope_rad, scale * 3.0, 1e-6);
        EXPECT_NEAR(scale * scale * turn.bend_rad, scale * scale * -0.2, 1e-6);
        EXPECT_NEAR(std::pow(scale, 3) * turn.twist_rad, std::pow(scale, 3) * 0.05, 1e-6);
    }
    const double none[turn_lines] = {};
    EXPECT_EQ(band_turn(none, none).bend_rad, 0);  // a block of one line
}

/// Moments of rows of nodes respond with the powers of the place in the band, odd ones without their factor j.
TEST(BlockResponse, TurnsTheBandAndTakesItsWindow) {
    using namespace std::complex_literals;
    const BandTurn turn{.bend_rad = 0.03, .twist_rad = -0.01};
    double weight[response_terms];
    const auto window = [](double p) { return 0.8 - 0.3 * p + 0.1 * p * p; };
    for (int i = 0; i < response_terms; ++i) weight[i] = window(band_place(i));
    const BlockResponse<double> response = block_response(weight, turn.bend_rad, turn.twist_rad);
    for (const double p : {-1.0, -0.5, 0.0, 0.2, 0.9}) {
        const std::complex<double> moments[] = {1, -1i * p, p * p, -1i * p * p * p};
        std::complex<double> got = 0;
        for (int m = 0; m < response_terms; ++m)
            got += std::complex<double>(response.re[m], response.im[m]) * moments[m];
        const std::complex<double> exact =
            window(p) * std::polar(1.0, turn.bend_rad * p * p + turn.twist_rad * p * p * p);
        EXPECT_LT(std::abs(got - exact), 1e-3) << p;
    }
}

/// Round a straight line of flight all places of the same range and Doppler frequency are seen alike.
TEST(RaisedRead, IsOnTheCircleRoundAStraightTrack) {
    struct Surface {
        CompressedTiming timing{.carrier_hz = 9.6e9, .chirp_inverse_slope_s2 = 0, .cell_rate_hz = 3e8};
        Place place(double row, double column) const { return {0.5 * row, 0.5 * column, 0}; }
        Arrival arrive(std::int64_t line, const Place& at) const {
            PulsePath path;
            path.start = {0.5 * static_cast<double>(line - 100), -9e3, 7e3};
            path.velocity_s = {0, 0, 0};
            return arrival(timing, path, at);
        }
    };
    const Place high{20, 30, 40};
    const RaisedRead read = raised_read(Surface{}, {50, 100, 150}, 1e-3, high, 40, 60);
    ASSERT_TRUE(read.found);
    EXPECT_NEAR(read.row, 40, 1e-3);
    EXPECT_NEAR(0.5 * read.column, std::sqrt(std::pow(9030, 2) + std::pow(7e3 - 40, 2) - 49e6) - 9e3, 1e-3);
    EXPECT_NEAR(read.turn.bend_rad, 0, 1e-5);
    EXPECT_NEAR(read.turn.twist_rad, 0, 1e-5);
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

/// Of 3 - u + 2 u^2 + u^3 + u^4 / 2 with u = (column - 30) / 20. Nothing is stored behind the last group.
TEST(FactorLaws, AreCubicsAboutTheMiddlesOfGroups) {
    LawAlongRow law{.area = {.from_column = 10, .to_column = 50}, .terms = 5, .power = {3, -1, 2, 1, 0.5}};
    for (const std::size_t groups : {0, 1, 7, 8, 9, 23}) {
        SCOPED_TRACE(groups);
        std::vector<double> value(groups + 1, -1), slope = value, bend = value, cube = value;
        along_groups(law, 12.5, 1.5, groups, {value.data(), slope.data(), bend.data(), cube.data()});
        for (std::size_t i = 0; i < groups; ++i) {
            const double u = (12.5 + 1.5 * static_cast<double>(i) - 30) / 20;
            EXPECT_NEAR(value[i], 3 + u * (-1 + u * (2 + u * (1 + u / 2))), 1e-13);
            EXPECT_NEAR(slope[i], (-1 + u * (4 + u * (3 + u * 2))) / 20, 1e-14);
            EXPECT_NEAR(bend[i], (2 + u * (3 + u * 3)) / 400, 1e-15);
            EXPECT_NEAR(cube[i], (1 + u * 2) / 8000, 1e-16);
        }
        for (const auto& of : {value, slope, bend, cube}) EXPECT_EQ(of[groups], -1);
    }
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

/// Pixels at their own heights are read one by one, of blocks that are as long as these allow.
TEST(Factorisation, KeepsBlocksAsShortAsHeightsAsk) {
    constexpr std::int64_t most_lines = 80;
    FactorisationNeeds needs = case_of({.range_m = 48e3, .lines = 2800, .rows = 2800}, -60).needs;
    std::string why;
    const auto level = cheapest_factorisation(needs, why);
    needs.heights = {.some = true, .rows = 10, .columns = 20, .most_lines = most_lines};
    const auto hills = cheapest_factorisation(needs, why);
    ASSERT_TRUE(level && hills) << why;
    EXPECT_GT(level->factors.lines_of(level->factors.levels - 1), most_lines);
    EXPECT_LE(hills->factors.lines_of(hills->factors.levels - 1), most_lines);
    EXPECT_GT(hills->cost, 1.2 * level->cost);
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
