// SPDX-License-Identifier: Apache-2.0
// The matrix Fourier transform on the host, in double precision.
#include "pipeline/matrix_fourier.h"

#include <fmt/format.h>

#include <stdexcept>

#include "kernels/phasor.h"

namespace cornerturn {

namespace {

std::complex<double> phasor(double cycles) {
    const Complex128 value = unit_phasor<double>(cycles);
    return {value.re, value.im};
}

}  // namespace

ComplexMatrix::ComplexMatrix(std::int64_t row_count, std::int64_t column_count)
    : rows(row_count), columns(column_count), values(static_cast<std::size_t>(row_count * column_count)) {}

ComplexMatrix matrix_product(const ComplexMatrix& a, const ComplexMatrix& b) {
    if (a.columns != b.rows) {
        throw std::logic_error(fmt::format("matrix product: {} x {} times {} x {}", a.rows, a.columns, b.rows, b.columns));
    }
    ComplexMatrix product(a.rows, b.columns);
    for (std::int64_t row = 0; row < a.rows; ++row) {
        // Real arithmetic: std::complex multiplication looks for NaN in every element and does not become vector code.
        double* out = reinterpret_cast<double*>(&product.values[static_cast<std::size_t>(row * b.columns)]);
        for (std::int64_t inner = 0; inner < a.columns; ++inner) {
            const double re = a(row, inner).real();
            const double im = a(row, inner).imag();
            const double* in = reinterpret_cast<const double*>(&b.values[static_cast<std::size_t>(inner * b.columns)]);
            for (std::int64_t column = 0; column < b.columns; ++column) {
                out[2 * column] += re * in[2 * column] - im * in[2 * column + 1];
                out[2 * column + 1] += re * in[2 * column + 1] + im * in[2 * column];
            }
        }
    }
    return product;
}

ComplexMatrix transposed(const ComplexMatrix& matrix) {
    ComplexMatrix result(matrix.columns, matrix.rows);
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
        for (std::int64_t column = 0; column < matrix.columns; ++column) result(column, row) = matrix(row, column);
    }
    return result;
}

ComplexMatrix fourier_matrix(std::int64_t length) {
    ComplexMatrix matrix(length, length);
    for (std::int64_t k = 0; k < length; ++k) {
        for (std::int64_t m = 0; m < length; ++m)
            matrix(k, m) = phasor(-static_cast<double>((k - length / 2) * m) / static_cast<double>(length));
    }
    return matrix;
}

ComplexMatrix inverse_fourier_matrix(std::span<const double> positions, std::int64_t length) {
    ComplexMatrix matrix(static_cast<std::int64_t>(positions.size()), length);
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
        for (std::int64_t k = 0; k < length; ++k) {
            const double cycles =
                static_cast<double>(k - length / 2) * positions[static_cast<std::size_t>(i)] / static_cast<double>(length);
            matrix(i, k) = phasor(cycles) / static_cast<double>(length);
        }
    }
    return matrix;
}

BandlimitedPatch::BandlimitedPatch(const ComplexMatrix& patch)
    : spectrum_(matrix_product(matrix_product(fourier_matrix(patch.rows), patch), transposed(fourier_matrix(patch.columns)))) {}

ComplexMatrix BandlimitedPatch::at(std::span<const double> rows, std::span<const double> columns) const {
    const ComplexMatrix left = inverse_fourier_matrix(rows, spectrum_.rows);
    const ComplexMatrix right = transposed(inverse_fourier_matrix(columns, spectrum_.columns));
    // The shorter side first keeps the intermediate matrix small.
    if (rows.size() <= columns.size()) return matrix_product(matrix_product(left, spectrum_), right);
    return matrix_product(left, matrix_product(spectrum_, right));
}

}  // namespace cornerturn
