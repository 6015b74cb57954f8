// SPDX-License-Identifier: Apache-2.0
// The corner turn on the GPU.
#pragma once

#include <cstdint>

#include "kernels/complex.h"
#include "kernels/corner_turn_variant.h"
#include "kernels/cuda/cublas.h"
#include "kernels/cuda/stream.h"

namespace cornerturn {

/// out[c][r] = in[r][c] for a packed rows x columns matrix of Complex64 or float, 16-byte aligned. Not in place, but for the variant
/// inplace, which takes in == out and rows == columns. `cublas` serves the variant of that name only.
template <class T>
void corner_turn_on_gpu(CornerTurnVariant variant, const T* in, T* out, std::int64_t rows, std::int64_t columns, const Stream& stream,
                        Cublas& cublas);

/// Copies with a kernel of 16-byte accesses, which beats cudaMemcpy at some sizes.
void copy_by_kernel(const void* from, void* to, std::size_t bytes, const Stream& stream);

/// Elements that differ, bit for bit, between `expected` (rows x columns) and `got`: its turn (columns x rows), or, not turned, its
/// copy. `Word` is as large as an element. Waits for the answer.
template <class Word>
std::int64_t count_differences_on_gpu(const Word* expected, const Word* got, std::int64_t rows, std::int64_t columns, bool turned,
                                      const Stream& stream);

/// Throws DeviceError if this build holds no code that runs on the current device.
void require_code_for_this_gpu();

}  // namespace cornerturn
