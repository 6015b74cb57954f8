// SPDX-License-Identifier: Apache-2.0
// Sparse matrices by compressed rows: interpolation written down as what it is, a linear map with few weights per
// sample.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/device/device.h"

namespace cornerturn {

struct SparseMatrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<std::int32_t> row_begin{0};  ///< of each row, and the end of the last
    std::vector<std::int32_t> column;
    std::vector<double> value;

    void add(std::int64_t at_column, double weight) {
        column.push_back(static_cast<std::int32_t>(at_column));
        value.push_back(weight);
    }
    void end_row() {
        row_begin.push_back(static_cast<std::int32_t>(column.size()));
        ++rows;
    }
};

/// matrix * x by the definition.
inline std::vector<std::complex<double>> sparse_product(const SparseMatrix& matrix,
                                                        std::span<const std::complex<double>> x) {
    std::vector<std::complex<double>> y(static_cast<std::size_t>(matrix.rows));
    for (std::size_t row = 0; row < y.size(); ++row)
        for (auto i = static_cast<std::size_t>(matrix.row_begin[row]);
             i < static_cast<std::size_t>(matrix.row_begin[row + 1]); ++i)
            y[row] += matrix.value[i] * x[static_cast<std::size_t>(matrix.column[i])];
    return y;
}

/// Why there is no cuSPARSE here; "" if there is.
std::string why_no_cusparse();
/// matrix * x by cuSPARSE, single precision, on the GPU of a CUDA device; x is complex64 there.
std::vector<std::complex<double>> cusparse_product(Device& device, const SparseMatrix& matrix, const Matrix& x);

}  // namespace cornerturn
