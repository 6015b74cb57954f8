// SPDX-License-Identifier: Apache-2.0
// What the steps of the matrix product share.
//
// c (m x n) = a (m x k) * b (k x n), packed row after row, any size; elements are float, Complex64 or Complex128. Every
// step is a struct with the size of its thread block, the number of blocks a product takes, and a body run(block, a, b,
// c, shape) that sees the machine only through `block`, as the steps of the corner turn do
// (kernels/cuda/corner_turn/tiles.cuh).
#pragma once

#include <cstdint>

#include "kernels/cuda/corner_turn/tiles.cuh"
#include "kernels/device/matrix_product_variant.h"
#include "kernels/math/complex.h"

namespace cornerturn {

CT_HOST_DEVICE MatrixShape shape_of_c(const ProductShape& shape) { return {shape.m, shape.n}; }

/// matrix[row][column] of a packed rows x columns matrix, 0 beyond its edges: zeros add nothing to a sum.
template <class T>
CT_HOST_DEVICE T element_or_zero(const T* matrix, std::int64_t row, std::int64_t column, std::int64_t rows,
                                 std::int64_t columns) {
    return row < rows && column < columns ? matrix[row * columns + column] : T{};
}

}  // namespace cornerturn
