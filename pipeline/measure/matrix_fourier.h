// SPDX-License-Identifier: Apache-2.0
// The matrix Fourier transform: a small patch is transformed, and interpolated at any positions, by products with
// DFT matrices.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cornerturn {

class Device;

/// Dense matrix in host memory, packed, row after row.
struct ComplexMatrix {
    ComplexMatrix() = default;
    ComplexMatrix(std::int64_t row_count, std::int64_t column_count);

    std::complex<double>& operator()(std::int64_t row, std::int64_t column) {
        return values[static_cast<std::size_t>(row * columns + column)];
    }
    const std::complex<double>& operator()(std::int64_t row, std::int64_t column) const {
        return values[static_cast<std::size_t>(row * columns + column)];
    }

    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<std::complex<double>> values;
};

/// a * b. Throws std::logic_error naming both shapes if they do not fit.
ComplexMatrix matrix_product(const ComplexMatrix& a, const ComplexMatrix& b);
ComplexMatrix transposed(const ComplexMatrix& matrix);

/// Computes a * b * c, in double precision wherever that is done.
using TripleProduct =
    std::function<ComplexMatrix(const ComplexMatrix& a, const ComplexMatrix& b, const ComplexMatrix& c)>;
/// On the host: the reference.
ComplexMatrix triple_product(const ComplexMatrix& a, const ComplexMatrix& b, const ComplexMatrix& c);
/// On a device, which must outlive what is returned; memory is kept from call to call. Differs from the host in the
/// order of additions.
TripleProduct triple_product_on(Device& device);

/// length x length: element (k, m) = exp(-j 2 pi (k - length/2) m / length), so that a product with it on the left
/// gives the spectrum of each column, zero frequency at row length/2.
ComplexMatrix fourier_matrix(std::int64_t length);
/// positions x length: row i evaluates a spectrum made by fourier_matrix(length) at positions[i] samples, whole or not.
ComplexMatrix inverse_fourier_matrix(std::span<const double> positions, std::int64_t length);

/// A patch by its 2-D spectrum, to be read between its samples.
class BandlimitedPatch {
public:
    /// A spectrum may lie askew: cycles per row of one frequency along rows, in the middle of those it has, for each
    /// cycle per column. Each such middle is then read as the one that it is, of all that alias onto it.
    explicit BandlimitedPatch(const ComplexMatrix& patch, TripleProduct multiply = triple_product, double skew = 0);
    /// Values on the grid rows x columns of positions in samples of the patch, from its element (0, 0). The patch
    /// repeats periodically.
    ComplexMatrix at(std::span<const double> rows, std::span<const double> columns) const;
    /// How little of all frequencies the spectrum fills: 1 where it fills them evenly, more where it does not.
    double concentration() const;

private:
    TripleProduct multiply_;
    double skew_;
    ComplexMatrix spectrum_;
};

}  // namespace cornerturn
