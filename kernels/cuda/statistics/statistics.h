// SPDX-License-Identifier: Apache-2.0
// Reductions over an echo on the GPU.
#pragma once

#include <memory>

#include "kernels/cuda/runtime/context.h"
#include "kernels/device/staging.h"
#include "kernels/passes/echo_format.h"

namespace cornerturn {

std::unique_ptr<EchoReduction> reduction_on_gpu(std::int64_t lines, std::int64_t samples, const EchoDecoding& decoding,
                                                SharedContext context);

}  // namespace cornerturn
