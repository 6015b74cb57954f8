// SPDX-License-Identifier: Apache-2.0
// NVIDIA's cuBLAS, to compare with. Its library is opened at first use: it is some hundred megabytes, and no image
// needs it.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/cuda/runtime/matrix_shape.h"
#include "kernels/cuda/runtime/stream.h"
#include "kernels/device/matrix_product_variant.h"
#include "kernels/math/complex.h"

namespace cornerturn {

class Cublas {
public:
    Cublas();
    ~Cublas();
    Cublas(const Cublas&) = delete;
    Cublas& operator=(const Cublas&) = delete;

    /// out[c][r] = in[r][c] by cublasCgeam or cublasSgeam. Throws DeviceError where the library is not installed.
    void corner_turn(const Complex64* in, Complex64* out, MatrixShape shape, const Stream& stream);
    void corner_turn(const float* in, float* out, MatrixShape shape, const Stream& stream);

    /// c = a * b in the precision of the elements and no less, which leaves float without tensor cores.
    void matrix_product(const float* a, const float* b, float* c, const ProductShape& shape, const Stream& stream);
    void matrix_product(const Complex64* a, const Complex64* b, Complex64* c, const ProductShape& shape,
                        const Stream& stream);
    void matrix_product(const Complex128* a, const Complex128* b, Complex128* c, const ProductShape& shape,
                        const Stream& stream);

private:
    struct Library;
    Library& library();
    std::unique_ptr<Library> library_;
};

}  // namespace cornerturn
