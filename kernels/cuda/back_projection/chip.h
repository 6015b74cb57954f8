// SPDX-License-Identifier: Apache-2.0
// Back-projection of a chip on the GPU.
#pragma once

#include <complex>
#include <vector>

#include "kernels/back_projection/chip.h"
#include "kernels/cuda/runtime/context.h"
#include "kernels/device/matrix.h"

namespace cornerturn {

/// Values of chip.pixels.
std::vector<std::complex<double>> backproject_on_gpu(const Matrix& echo, const EchoDecoding& decoding,
                                                     const BackprojectionChip& chip, const CudaContext& context);

}  // namespace cornerturn
