// SPDX-License-Identifier: Apache-2.0
// Complex matrix product of any size on the GPU.
#pragma once

#include <cstdint>

#include "kernels/complex.h"
#include "kernels/cuda/stream.h"

namespace cornerturn {

/// c (m x n) = a (m x k) * b (k x n), packed row-major.
void matrix_product_on_gpu(const Complex64* a, const Complex64* b, Complex64* c, std::int64_t m, std::int64_t k, std::int64_t n,
                           const Stream& stream);

}  // namespace cornerturn
