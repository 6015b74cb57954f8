// SPDX-License-Identifier: Apache-2.0
// The corner turn on the GPU.
#pragma once

#include <cstdint>

#include "kernels/complex.h"
#include "kernels/cuda/stream.h"

namespace cornerturn {

/// out[c][r] = in[r][c] for a packed rows x columns matrix; not in place.
void corner_turn_on_gpu(const Complex64* in, Complex64* out, std::int64_t rows, std::int64_t columns, const Stream& stream);

/// Throws DeviceError if this build holds no code that runs on the current device.
void require_code_for_this_gpu();

}  // namespace cornerturn
