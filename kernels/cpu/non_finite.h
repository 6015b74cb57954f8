// SPDX-License-Identifier: Apache-2.0
// Number of samples of an echo that are not finite, counted on the CPU.
#pragma once

#include <memory>

#include "kernels/device/staging.h"
#include "kernels/passes/echo_format.h"

namespace cornerturn {

std::unique_ptr<NonFiniteCounter> non_finite_counter_on_cpu(const EchoDecoding& decoding, int threads);

}  // namespace cornerturn
