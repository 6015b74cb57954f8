// SPDX-License-Identifier: Apache-2.0
// Reductions over an echo on the GPU.
#pragma once

#include <memory>

#include "kernels/cuda/context.h"
#include "kernels/echo_format.h"
#include "kernels/staging.h"

namespace cornerturn {

std::unique_ptr<EchoReduction> reduction_on_gpu(std::int64_t lines, std::int64_t samples, const EchoDecoding& decoding,
                                                SharedContext context);

}  // namespace cornerturn
