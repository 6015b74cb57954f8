// SPDX-License-Identifier: Apache-2.0
// Reductions over an echo on the CPU.
#pragma once

#include <memory>

#include "kernels/echo_format.h"
#include "kernels/staging.h"

namespace cornerturn {

std::unique_ptr<EchoReduction> reduction_on_cpu(std::int64_t lines, std::int64_t samples, const EchoDecoding& decoding,
                                                int threads);

}  // namespace cornerturn
