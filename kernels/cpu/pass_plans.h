// SPDX-License-Identifier: Apache-2.0
// The four passes on the CPU: each thread takes a line through load, FFT, filter, inverse FFT and store while it lies in cache.
#pragma once

#include <memory>

#include "kernels/device.h"

namespace cornerturn {

template <class Real>
std::unique_ptr<PassPlan> plan_on_cpu(const Pass& pass, int threads);

}  // namespace cornerturn
