// SPDX-License-Identifier: Apache-2.0
// The corner turn on the GPU.
#pragma once

#include <cstdint>

#include "kernels/cuda/corner_turn/tiles.cuh"
#include "kernels/cuda/libraries/cublas.h"
#include "kernels/cuda/runtime/stream.h"
#include "kernels/device/corner_turn_variant.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// out[c][r] = in[r][c] for a matrix of Complex64 or float, 16-byte aligned; out is packed. Not in place, but for the
/// variant inplace, which takes in == out, packed and square. `cublas` serves the variant of that name only.
template <class T>
void corner_turn_on_gpu(CornerTurnVariant variant, const T* in, T* out, MatrixShape shape, const Stream& stream,
                        Cublas& cublas);

/// Copies with a kernel of 16-byte accesses, which beats cudaMemcpy at some sizes.
void copy_by_kernel(const void* from, void* to, std::size_t bytes, const Stream& stream);

/// Elements that differ, bit for bit, between `expected` of this shape and `got`: its turn or, not turned, its copy,
/// packed. `Word` is as large as an element. Waits for the answer.
template <class Word>
std::int64_t count_differences_on_gpu(const Word* expected, const Word* got, MatrixShape shape, bool turned,
                                      const Stream& stream);

/// Throws DeviceError if this build holds no code that runs on the current device.
void require_code_for_this_gpu();
/// Of those that this build holds code for: 900 is compute capability 9.0.
int oldest_architecture();

}  // namespace cornerturn
