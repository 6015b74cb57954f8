// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/chebyshev.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cornerturn {
namespace {

double parabola(double x) { return 3 - 0.5 * x + 0.25 * x * x; }

TEST(Chebyshev, PointsLieWithinTheInterval) {
    const std::vector<double> points = chebyshev_points(2, 6, 3);
    ASSERT_EQ(points.size(), 3u);
    EXPECT_NEAR(points[0], 4 + std::sqrt(3), 1e-14);
    EXPECT_NEAR(points[1], 4, 1e-14);
    EXPECT_NEAR(points[2], 4 - std::sqrt(3), 1e-14);
}

TEST(Chebyshev, SeriesOfAPolynomialIsThatPolynomialOutsideToo) {
    std::vector<double> values;
    for (const double x : chebyshev_points(-1, 7, 3)) values.push_back(parabola(x));
    const ChebyshevSeries series = ChebyshevSeries::through(-1, 7, values);
    for (const double x : {-1.0, 0.0, 3.3, 7.0, -9.0, 20.0}) EXPECT_NEAR(series(x), parabola(x), 1e-12) << x;
    EXPECT_EQ(series.from(), -1);
    EXPECT_EQ(series.to(), 7);
}

TEST(Chebyshev, SeriesOfASmoothFunctionTakesAsManyTermsAsItNeeds) {
    const auto root = [](double x) { return std::sqrt(1 + x * x); };
    const ChebyshevSeries coarse = ChebyshevSeries::of(-0.8, 1.0, 1e-5, 100, root),
                          fine = ChebyshevSeries::of(-0.8, 1.0, 1e-13, 100, root);
    EXPECT_LT(coarse.coefficients().size(), fine.coefficients().size());
    EXPECT_LT(fine.tail(), 1e-13);
    for (double x = -0.8; x <= 1; x += 0.01) {
        EXPECT_NEAR(coarse(x), root(x), 1e-4);
        EXPECT_NEAR(fine(x), root(x), 1e-12);
    }
    EXPECT_NEAR(fine(1.02), root(1.02), 1e-11) << "a little way outside";
}

TEST(Chebyshev, SeriesHasNoMoreTermsThanItMay) {
    const auto kink = [](double x) { return std::abs(x); };
    for (const int most : {1, 5, 8, 20, 60})
        EXPECT_LE(ChebyshevSeries::of(-1, 1, 1e-12, most, kink).coefficients().size(), static_cast<std::size_t>(most));
}

/// What the last terms of an even or odd function are is not all that is left: every other one is zero.
TEST(Chebyshev, TailSeesBehindTheZerosOfSymmetricFunctions) {
    for (const int count : {6, 7}) {
        std::vector<double> even, odd;
        for (const double x : chebyshev_points(-1, 1, count)) {
            even.push_back(1 / (1 + 4 * x * x));
            odd.push_back(x / (1 + 4 * x * x));
        }
        EXPECT_GT(ChebyshevSeries::through(-1, 1, even).tail(), 1e-3) << count;
        EXPECT_GT(ChebyshevSeries::through(-1, 1, odd).tail(), 1e-3) << count;
    }
}

TEST(Chebyshev, DerivativeIsThatOfTheFunction) {
    const ChebyshevSeries sine = ChebyshevSeries::of(1, 4, 1e-14, 60, [](double x) { return std::sin(x); });
    const ChebyshevSeries slope = sine.derivative(), curvature = slope.derivative();
    for (double x = 1; x <= 4; x += 0.1) {
        EXPECT_NEAR(slope(x), std::cos(x), 1e-12);
        EXPECT_NEAR(curvature(x), -std::sin(x), 1e-10);
    }
    const ChebyshevSeries line = ChebyshevSeries::through(0, 10, {chebyshev_points(0, 10, 2)});
    EXPECT_NEAR(line.derivative()(3), 1, 1e-14);
}

TEST(Chebyshev, PowersAreThoseOfTheOffsetFromTheCentre) {
    const ChebyshevSeries series = ChebyshevSeries::of(3, 8, 1e-13, 60, [](double x) { return std::exp(0.3 * x); });
    const std::vector<double> powers = series.powers();
    ASSERT_EQ(powers.size(), series.coefficients().size());
    for (double x = 2.9; x < 8.2; x += 0.1) {
        double value = 0;
        for (std::size_t k = powers.size(); k-- > 0;) value = value * ((x - 5.5) / 2.5) + powers[k];
        EXPECT_NEAR(value, series(x), 1e-12);
    }
    EXPECT_NEAR(powers[1], 0.3 * 2.5 * std::exp(0.3 * 5.5), 1e-10);
}

TEST(Chebyshev, OneTermIsAConstantAndNoneIsZero) {
    const ChebyshevSeries constant = ChebyshevSeries::through(2, 3, {7.0});
    EXPECT_EQ(constant(2.2), 7);
    EXPECT_EQ(constant(-100), 7);
    EXPECT_EQ(constant.derivative()(2.5), 0);
    EXPECT_EQ(constant.derivative().coefficients().size(), 1u);
    EXPECT_EQ(constant.powers(), std::vector<double>{7.0});
    EXPECT_EQ(constant.tail(), 7);

    const ChebyshevSeries none;
    EXPECT_EQ(none(1), 0);
    EXPECT_EQ(none.derivative()(1), 0);
    EXPECT_TRUE(none.powers().empty());
    EXPECT_EQ(none.tail(), 0);
}

TEST(Chebyshev, AnIntervalOfNoLengthHasItsOneValue) {
    const ChebyshevSeries series = ChebyshevSeries::of(5, 5, 1e-12, 40, parabola);
    EXPECT_NEAR(series(5), parabola(5), 1e-13);
    EXPECT_TRUE(std::isfinite(series(6)));
    EXPECT_EQ(series.coefficients().size(), 8u);
}

TEST(Chebyshev, SurfaceIsTheFunctionOfBoth) {
    const auto function = [](double x, double y) { return std::exp(0.1 * x) * std::cos(y) + x * y * y; };
    std::vector<ChebyshevSeries> series;
    for (const double x : chebyshev_points(-2, 5, 14))  // of different lengths: the missing terms are zeros
        series.push_back(
            ChebyshevSeries::of(0, 2, x > 0 ? 1e-13 : 1e-11, 60, [&](double y) { return function(x, y); }));
    const ChebyshevSurface surface(-2, 5, series);
    for (double x = -2; x <= 5; x += 0.5)
        for (double y = 0; y <= 2; y += 0.1) {
            EXPECT_NEAR(surface(x, y), function(x, y), 1e-9) << x << ", " << y;
            EXPECT_EQ(surface.at(x)(y), surface(x, y));
        }
    EXPECT_EQ(surface.at(1).from(), 0);
    EXPECT_EQ(surface.at(1).to(), 2);
}

TEST(Chebyshev, SurfaceOfOneSeriesIsTheSameEverywhere) {
    const ChebyshevSurface surface(0, 1, {ChebyshevSeries::through(0, 2, {1.0, 3.0})});
    EXPECT_EQ(surface.at(0.3), surface.at(77));
    EXPECT_NEAR(surface(5, 1), 2, 1e-14);
    EXPECT_EQ(ChebyshevSurface()(1, 2), 0);
}

}  // namespace
}  // namespace cornerturn
