// SPDX-License-Identifier: Apache-2.0
// Factorised back-projection on the CPU: one strip of ranges after the other, within it level by level and row by
// row of nodes.
#pragma once

#include <memory>

#include "kernels/device/step_plan.h"
#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// Lines, nodes and image are of Real, places and phases found in double.
template <class Real>
std::unique_ptr<StepPlan> factorised_accumulation_plan(const FactorisedAccumulation& pass, int threads);

}  // namespace cornerturn
