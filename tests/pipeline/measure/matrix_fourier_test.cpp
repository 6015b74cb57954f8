// SPDX-License-Identifier: Apache-2.0
// The matrix Fourier transform against closed forms.
#include "pipeline/measure/matrix_fourier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "tests/kernels/every_device.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

using namespace std::complex_literals;

TEST(MatrixFourier, ProductByHand) {
    ComplexMatrix a(2, 3);
    a.values = {1.0, 2.0, 1i, 0.0, -1.0, 2.0 + 1i};
    ComplexMatrix b(3, 1);
    b.values = {1i, 3.0, 1.0 - 1i};
    const ComplexMatrix c = matrix_product(a, b);
    ASSERT_EQ(c.rows, 2);
    ASSERT_EQ(c.columns, 1);
    EXPECT_EQ(c(0, 0), 1i + 6.0 + 1i * (1.0 - 1i));
    EXPECT_EQ(c(1, 0), -3.0 + (2.0 + 1i) * (1.0 - 1i));
}

TEST(MatrixFourier, ShapesThatDoNotFitAreNamed) {
    EXPECT_EQ(error_of<std::logic_error>([] { matrix_product(ComplexMatrix(2, 3), ComplexMatrix(4, 5)); }),
              "matrix product: 2 x 3 times 4 x 5");
}

class PatchOf : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(PatchOf, ReadsBandlimitedSignalsBetweenTheirSamples) {
    const auto [rows, columns] = GetParam();
    // Two whole-cycle waves lie on single bins: reading anywhere is exact.
    const double p = rows > 2 ? 1.0 / rows : 0.0;
    const double q = columns > 5 ? -2.0 / columns : 0.0;
    const auto wave = [&](double r, double c) {
        return std::polar(1.5, 2 * std::numbers::pi * (p * r + q * c) + 0.3) + std::polar(0.5, -1.1);
    };
    ComplexMatrix patch(rows, columns);
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) patch(r, c) = wave(r, c);
    }
    const std::vector<double> at_rows{0, 0.37, rows - 1.0, rows / 2.0};
    const std::vector<double> at_columns{columns - 0.71, 0.01, 3.5};
    const ComplexMatrix values = BandlimitedPatch(patch).at(at_rows, at_columns);
    ASSERT_EQ(values.rows, 4);
    ASSERT_EQ(values.columns, 3);
    for (int r = 0; r < 4; ++r) {
        // 200 roundings at most on each of two axes.
        for (int c = 0; c < 3; ++c) EXPECT_LT(std::abs(values(r, c) - wave(at_rows[r], at_columns[c])), 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, PatchOf,
                         testing::Values(std::pair{1, 1}, std::pair{31, 32}, std::pair{33, 7}, std::pair{64, 100}));

ComplexMatrix random_matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
    ComplexMatrix matrix(rows, columns);
    matrix.values = noise(rows * columns, seed);
    return matrix;
}

class ZoomOnDevice : public EveryDevice {};

TEST_P(ZoomOnDevice, EqualsTheHostButForTheOrderOfAdditions) {
    const TripleProduct multiply = triple_product_on(*device);
    struct Shape {
        std::int64_t m, k, l, n;
    };
    // Both orders; larger and smaller than what was kept.
    for (const auto& [m, k, l, n] :
         {Shape{3, 20, 30, 70}, {140, 150, 130, 65}, {70, 30, 20, 3}, {1, 1, 1, 1}, {65, 140, 140, 65}}) {
        const ComplexMatrix a = random_matrix(m, k, 1), b = random_matrix(k, l, 2), c = random_matrix(l, n, 3);
        const ComplexMatrix got = multiply(a, b, c), expected = triple_product(a, b, c);
        ASSERT_EQ(got.rows, m);
        ASSERT_EQ(got.columns, n);
        EXPECT_LT(relative_error(got.values, expected.values),
                  1e-14);  // sums of 150 terms twice: some 10 roundings of 1e-16
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, ZoomOnDevice, every_device(), device_name);

}  // namespace
}  // namespace cornerturn
