// SPDX-License-Identifier: Apache-2.0
// Complex matrix product of any size on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/lines.h"

namespace cornerturn {

/// c (m x n) = a (m x k) * b (k x n), packed row-major. Rows of c are independent.
template <class Real>
void matrix_product_on_cpu(const Complex<Real>* a, const Complex<Real>* b, Complex<Real>* c, std::int64_t m, std::int64_t k, std::int64_t n,
                           int threads) {
    for_each_line(m, threads, [=](std::int64_t row) {
        Complex<Real>* out = c + row * n;
        std::fill(out, out + n, Complex<Real>{});
        for (std::int64_t inner = 0; inner < k; ++inner) {
            const Complex<Real> factor = a[row * k + inner];
            const Complex<Real>* from = b + inner * n;
#pragma omp simd
            for (std::int64_t column = 0; column < n; ++column) out[column] = out[column] + factor * from[column];
        }
    });
}

}  // namespace cornerturn
