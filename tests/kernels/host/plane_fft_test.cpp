// SPDX-License-Identifier: Apache-2.0
// Transforms of planes against the sum that they stand for.
#include "kernels/host/plane_fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

namespace cornerturn {
namespace {

std::vector<std::complex<double>> noise(std::int64_t count) {
    std::mt19937 generator(3);
    std::normal_distribution<double> normal;
    std::vector<std::complex<double>> values(static_cast<std::size_t>(count));
    for (auto& value : values) value = {normal(generator), normal(generator)};
    return values;
}

/// `row_sign`: of the exponent along rows.
std::complex<double> bin_of(const std::vector<std::complex<double>>& plane, std::int64_t rows, std::int64_t columns,
                            std::int64_t row_bin, std::int64_t column_bin, double row_sign, double column_sign) {
    std::complex<double> sum = 0;
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            sum += plane[static_cast<std::size_t>(row * columns + column)] *
                   std::polar(1.0, 2 * std::numbers::pi *
                                       (row_sign * double(column * column_bin % columns) / double(columns) +
                                        column_sign * double(row * row_bin % rows) / double(rows)));
    return sum;
}

TEST(PlaneFft, IsTheSumOverRowsAndColumns) {
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 6}, {5, 1}, {4, 6}, {7, 5}})
        for (const FftDirection along : {FftDirection::forward, FftDirection::inverse}) {
            const std::vector<std::complex<double>> plane = noise(rows * columns);
            std::vector<std::complex<double>> spectrum = plane;
            PlaneFft<double>(rows, columns, along, FftDirection::forward)(spectrum.data());
            for (std::int64_t row = 0; row < rows; ++row)
                for (std::int64_t column = 0; column < columns; ++column) {
                    const auto expected =
                        bin_of(plane, rows, columns, row, column, along == FftDirection::forward ? -1 : 1, -1);
                    EXPECT_LT(std::abs(spectrum[static_cast<std::size_t>(row * columns + column)] - expected), 1e-13)
                        << rows << " x " << columns << ": " << row << ", " << column;
                }
        }
}

/// Single precision, values of our own.
TEST(PlaneFft, ComesBackTimesItsSize) {
    constexpr std::int64_t rows = 12, columns = 10;
    const auto plane = noise(rows * columns);
    std::vector<Complex<float>> there(plane.size());
    for (std::size_t i = 0; i < plane.size(); ++i)
        there[i] = {static_cast<float>(plane[i].real()), static_cast<float>(plane[i].imag())};
    const std::vector<Complex<float>> before = there;
    PlaneFft<float>(rows, columns, FftDirection::forward)(there.data());
    PlaneFft<float>(rows, columns, FftDirection::inverse)(there.data());
    for (std::size_t i = 0; i < plane.size(); ++i) {
        EXPECT_NEAR(there[i].re / (rows * columns), before[i].re, 1e-6);
        EXPECT_NEAR(there[i].im / (rows * columns), before[i].im, 1e-6);
    }
}

}  // namespace
}  // namespace cornerturn
