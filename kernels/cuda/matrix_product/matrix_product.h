// SPDX-License-Identifier: Apache-2.0
// The matrix product of any size on the GPU.
#pragma once

#include "kernels/cuda/libraries/cublas.h"
#include "kernels/cuda/runtime/stream.h"
#include "kernels/device/matrix_product_variant.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// c (m x n) = a (m x k) * b (k x n), packed row-major, 16-byte aligned; T is float, Complex64 or Complex128.
/// `multiprocessors` the GPU has; `cublas` serves the variant of that name only.
template <class T>
void matrix_product_on_gpu(MatrixProductVariant variant, const T* a, const T* b, T* c, const ProductShape& shape,
                           int multiprocessors, const Stream& stream, Cublas& cublas);

}  // namespace cornerturn
