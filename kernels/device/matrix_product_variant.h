// SPDX-License-Identifier: Apache-2.0
// Variants of the matrix product by name, and the shapes that all of them require.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace cornerturn {

struct Matrix;

/// kernels/cuda/matrix_product/ tells what each step adds; the CPU has naive, tiled and production.
enum class MatrixProductVariant {
    naive,       ///< each thread sums one element straight from memory
    tiled,       ///< tiles of both factors through shared memory (on the CPU: through the cache)
    padded,      ///< four elements per thread; the tile of a lies turned, one extra column against bank conflicts
    production,  ///< a square of elements per thread in registers, 16-byte accesses, the next tiles fetched meanwhile
    cublas       ///< cublasSgemm, cublasCgemm, cublasZgemm: what a library offers
};

inline constexpr std::array matrix_product_variants = {MatrixProductVariant::naive, MatrixProductVariant::tiled,
                                                       MatrixProductVariant::padded, MatrixProductVariant::production,
                                                       MatrixProductVariant::cublas};

std::string_view name_of(MatrixProductVariant variant);

/// c (m x n) = a (m x k) * b (k x n).
struct ProductShape {
    std::int64_t m = 0, k = 0, n = 0;

    double multiplications() const { return static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n); }
    double elements() const { return static_cast<double>(m * k + k * n + m * n); }
};

/// Throws std::logic_error naming the shapes if they do not fit together, or if the formats are not all the same one of
/// float32, complex64 and complex128.
ProductShape product_shape(const Matrix& a, const Matrix& b, const Matrix& c);

/// Throws InputError if the device has no such product.
void require_matrix_product(std::string_view device, std::span<const MatrixProductVariant> there,
                            MatrixProductVariant variant);

}  // namespace cornerturn
