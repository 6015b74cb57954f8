// SPDX-License-Identifier: Apache-2.0
// Matrix products of any size on the CPU: one blocked for registers and caches, and simpler variants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "kernels/cpu/matrix_product/packed_product.h"
#include "kernels/device/matrix_product_variant.h"
#include "kernels/host/line_loop.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// By the definition, element by element: every step through b is a row apart from the one before.
template <class T>
void naive_product_on_cpu(const T* a, const T* b, T* c, const ProductShape& shape, int threads) {
    for_each_line(shape.m, threads, [=](std::int64_t row) {
        for (std::int64_t column = 0; column < shape.n; ++column) {
            T sum{};
            for (std::int64_t inner = 0; inner < shape.k; ++inner)
                sum = multiply_add(sum, a[row * shape.k + inner], b[inner * shape.n + column]);
            c[row * shape.n + column] = sum;
        }
    });
}

/// Row by row of b, in tiles of it that stay in cache while a few rows of c take their part of them.
template <class T>
void tiled_product_on_cpu(const T* a, const T* b, T* c, const ProductShape& shape, int threads) {
    constexpr std::int64_t height = 16, depth = 64, width = 4096 / sizeof(T);  // a tile of b has 256 KiB
    for_each_line((shape.m + height - 1) / height, threads, [=](std::int64_t strip) {
        const std::int64_t first_row = strip * height, last_row = std::min(first_row + height, shape.m);
        std::fill(c + first_row * shape.n, c + last_row * shape.n, T{});
        for (std::int64_t first_column = 0; first_column < shape.n; first_column += width)
            for (std::int64_t first = 0; first < shape.k; first += depth)
                for (std::int64_t row = first_row; row < last_row; ++row)
                    for (std::int64_t inner = first; inner < std::min(first + depth, shape.k); ++inner) {
                        const T factor = a[row * shape.k + inner];
                        const T* from = b + inner * shape.n;
                        T* out = c + row * shape.n;
#pragma omp simd
                        for (std::int64_t column = first_column; column < std::min(first_column + width, shape.n);
                             ++column)
                            out[column] = multiply_add(out[column], factor, from[column]);
                    }
    });
}

/// c (m x n) = a (m x k) * b (k x n), packed row-major; T is float, Complex64 or Complex128. Rows of c are independent.
template <class T>
void matrix_product_on_cpu(MatrixProductVariant variant, const T* a, const T* b, T* c, const ProductShape& shape,
                           int threads) {
    // A thread more does not pay for less than a millisecond of work.
    const int paid = static_cast<int>(std::min(static_cast<double>(threads), 1 + shape.multiplications() / 4e6));
    switch (variant) {
        case MatrixProductVariant::naive: return naive_product_on_cpu(a, b, c, shape, paid);
        case MatrixProductVariant::tiled: return tiled_product_on_cpu(a, b, c, shape, paid);
        case MatrixProductVariant::production: return packed_product_on_cpu(a, b, c, shape, paid);
        default: throw std::logic_error("the CPU has no such matrix product");
    }
}

}  // namespace cornerturn
