// SPDX-License-Identifier: Apache-2.0
// Reductions over an echo on the CPU.
#pragma once

#include <memory>

#include "kernels/device/staging.h"
#include "kernels/passes/echo_format.h"

namespace cornerturn {

std::unique_ptr<EchoReduction> reduction_on_cpu(std::int64_t lines, std::int64_t samples, const EchoDecoding& decoding,
                                                int threads);

}  // namespace cornerturn
