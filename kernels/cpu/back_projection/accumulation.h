// SPDX-License-Identifier: Apache-2.0
// Back-projection on the CPU by definition: every pixel summed over its lines in double precision. The reference of
// all faster ways.
#pragma once

#include <memory>

#include "kernels/device/step_plan.h"
#include "kernels/passes/accumulation.h"

namespace cornerturn {

/// Lines and image are of Real, everything between in double.
template <class Real>
std::unique_ptr<StepPlan> exact_accumulation_plan(const Accumulation& pass, int threads);

}  // namespace cornerturn
