// SPDX-License-Identifier: Apache-2.0
// The matrix Fourier transform in double precision, on the host or on a device.
#include "pipeline/measure/matrix_fourier.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "kernels/device/device.h"
#include "kernels/math/phasor.h"

namespace cornerturn {

namespace {

/// Which of the two orders takes fewer multiplications?
bool left_first(const ComplexMatrix& a, const ComplexMatrix& b, const ComplexMatrix& c) {
    return a.rows * b.columns * (b.rows + c.columns) <= b.rows * c.columns * (b.columns + a.rows);
}

/// Multiplies on a device in memory that is kept.
class DeviceProducts {
public:
    explicit DeviceProducts(Device& device) : device_(device) {}

    ComplexMatrix operator()(const ComplexMatrix& a, const ComplexMatrix& b, const ComplexMatrix& c) {
        const Matrix on_device[] = {upload(0, a), upload(1, b), upload(2, c)};
        Matrix product;
        if (left_first(a, b, c)) {
            const Matrix left = multiply(3, on_device[0], on_device[1]);
            product = multiply(4, left, on_device[2]);
        } else {
            const Matrix right = multiply(3, on_device[1], on_device[2]);
            product = multiply(4, on_device[0], right);
        }
        ComplexMatrix result(product.rows, product.columns);
        device_.download_as_stored(product, std::as_writable_bytes(std::span(result.values)));
        return result;
    }

private:
    Matrix upload(std::size_t slot, const ComplexMatrix& matrix) {
        Matrix to = matrix_in(slot, matrix.rows, matrix.columns);
        device_.upload(std::as_bytes(std::span(matrix.values)), to);
        return to;
    }
    Matrix multiply(std::size_t slot, const Matrix& a, const Matrix& b) {
        Matrix product = matrix_in(slot, a.rows, b.columns);
        device_.matrix_product(a, b, product);
        return product;
    }
    Matrix matrix_in(std::size_t slot, std::int64_t rows, std::int64_t columns) {
        Matrix& memory = memory_[slot];
        if (memory.capacity_bytes < static_cast<std::size_t>(rows * columns) * sizeof(std::complex<double>)) {
            memory = {};  // first, so that old and new need not fit together
            memory = device_.allocate(SampleFormat::complex128, rows, columns);
        }
        return memory.reshaped(rows, columns);
    }

    Device& device_;
    std::array<Matrix, 5> memory_;
};

/// Multiplies spectra along columns, zero frequency in the middle, each of a row at a place of its own.
void turn_by_skew(ComplexMatrix& lines, std::span<const double> rows, double skew) {
    for (std::int64_t i = 0; i < lines.rows; ++i) {
        const double cycles = skew * rows[static_cast<std::size_t>(i)] / static_cast<double>(lines.columns);
        for (std::int64_t k = 0; k < lines.columns; ++k)
            lines(i, k) *= std_phasor(cycles * static_cast<double>(k - lines.columns / 2));
    }
}

}  // namespace

ComplexMatrix::ComplexMatrix(std::int64_t row_count, std::int64_t column_count)
    : rows(row_count), columns(column_count), values(static_cast<std::size_t>(row_count * column_count)) {}

ComplexMatrix matrix_product(const ComplexMatrix& a, const ComplexMatrix& b) {
    if (a.columns != b.rows) {
        throw std::logic_error(
            fmt::format("matrix product: {} x {} times {} x {}", a.rows, a.columns, b.rows, b.columns));
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

ComplexMatrix triple_product(const ComplexMatrix& a, const ComplexMatrix& b, const ComplexMatrix& c) {
    if (left_first(a, b, c)) return matrix_product(matrix_product(a, b), c);
    return matrix_product(a, matrix_product(b, c));
}

TripleProduct triple_product_on(Device& device) {
    const auto products = std::make_shared<DeviceProducts>(device);
    return [products](const ComplexMatrix& a, const ComplexMatrix& b, const ComplexMatrix& c) {
        return (*products)(a, b, c);
    };
}

ComplexMatrix fourier_matrix(std::int64_t length) {
    ComplexMatrix matrix(length, length);
    for (std::int64_t k = 0; k < length; ++k) {
        for (std::int64_t m = 0; m < length; ++m)
            matrix(k, m) = std_phasor(-static_cast<double>((k - length / 2) * m) / static_cast<double>(length));
    }
    return matrix;
}

ComplexMatrix inverse_fourier_matrix(std::span<const double> positions, std::int64_t length) {
    ComplexMatrix matrix(static_cast<std::int64_t>(positions.size()), length);
    const std::int64_t zero = length / 2;
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
        for (std::int64_t k = 0; k < length; ++k) {
            if (k > zero) {  // of a positive frequency: the conjugate of the negative one's, to the last bit
                matrix(i, k) = std::conj(matrix(i, 2 * zero - k));
                continue;
            }
            const double cycles =
                static_cast<double>(k - zero) * positions[static_cast<std::size_t>(i)] / static_cast<double>(length);
            matrix(i, k) = std_phasor(cycles) / static_cast<double>(length);
        }
    }
    return matrix;
}

BandlimitedPatch::BandlimitedPatch(const ComplexMatrix& patch, TripleProduct multiply, double skew)
    : multiply_(std::move(multiply)), skew_(skew) {
    const ComplexMatrix of_rows = fourier_matrix(patch.rows), of_columns = transposed(fourier_matrix(patch.columns));
    if (skew_ == 0) {
        spectrum_ = multiply_(of_rows, patch, of_columns);
        return;
    }
    std::vector<double> rows(static_cast<std::size_t>(patch.rows));
    std::iota(rows.begin(), rows.end(), 0.0);
    ComplexMatrix lines = matrix_product(patch, of_columns);
    turn_by_skew(lines, rows, -skew_);
    spectrum_ = matrix_product(of_rows, lines);
}

double BandlimitedPatch::concentration() const {
    double power = 0, squared = 0;
    for (const auto& value : spectrum_.values) {
        power += std::norm(value);
        squared += std::norm(value) * std::norm(value);
    }
    return power > 0 ? squared * static_cast<double>(spectrum_.values.size()) / (power * power) : 0;
}

ComplexMatrix BandlimitedPatch::at(std::span<const double> rows, std::span<const double> columns) const {
    const ComplexMatrix at_rows = inverse_fourier_matrix(rows, spectrum_.rows),
                        at_columns = transposed(inverse_fourier_matrix(columns, spectrum_.columns));
    if (skew_ == 0) return multiply_(at_rows, spectrum_, at_columns);
    ComplexMatrix lines = matrix_product(at_rows, spectrum_);
    turn_by_skew(lines, rows, skew_);
    return matrix_product(lines, at_columns);
}

}  // namespace cornerturn
