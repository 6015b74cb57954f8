// SPDX-License-Identifier: Apache-2.0
// Factorised back-projection on a GPU: strip of ranges by strip, level by level. The host finds the laws of a strip
// while the GPU sums the one before.
#pragma once

#include <memory>

#include "kernels/cuda/runtime/context.h"
#include "kernels/device/step_plan.h"
#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// Throws Unsupported, in its run, where cells of blocks do not follow each other.
std::unique_ptr<StepPlan> factorised_accumulation_plan(const FactorisedAccumulation& pass, SharedContext context);

}  // namespace cornerturn
