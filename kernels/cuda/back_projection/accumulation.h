// SPDX-License-Identifier: Apache-2.0
// Back-projection on a GPU.
#pragma once

#include <memory>

#include "kernels/cuda/runtime/context.h"
#include "kernels/device/step_plan.h"
#include "kernels/passes/accumulation.h"

namespace cornerturn {

/// Takes the fastest tiles whose approximations are as good as the pass asks for, and sums in double precision where
/// none are.
std::unique_ptr<StepPlan> accumulation_plan(const Accumulation& pass, SharedContext context);

/// How fast the fastest tiles are whose samples are as good as the pass asks for, to the fastest that there are; as
/// seen on an H200. `shared_bytes`: that a block of threads may have.
double accumulation_rate(const Accumulation& pass, std::size_t shared_bytes);

}  // namespace cornerturn
