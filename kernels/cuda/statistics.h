// SPDX-License-Identifier: Apache-2.0
// Reductions over an echo on the GPU.
#pragma once

#include "kernels/cuda/context.h"
#include "kernels/device.h"

namespace cornerturn {

EchoStatistics statistics_on_gpu(const Matrix& echo, const EchoDecoding& decoding, const CudaContext& context);

}  // namespace cornerturn
