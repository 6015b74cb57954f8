// SPDX-License-Identifier: Apache-2.0
// Reductions over an echo on the CPU.
#pragma once

#include "kernels/device.h"

namespace cornerturn {

EchoStatistics statistics_on_cpu(const Matrix& echo, const EchoDecoding& decoding, int threads);

}  // namespace cornerturn
