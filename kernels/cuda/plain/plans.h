// SPDX-License-Identifier: Apache-2.0
// The passes as cuFFT calls with sweeps over the rows between them: any length, always available.
#pragma once

#include <memory>

#include "kernels/cuda/runtime/context.h"
#include "kernels/cuda/runtime/pass_tuning.h"
#include "kernels/device/step_plan.h"

namespace cornerturn {

struct AzimuthCompression;

std::unique_ptr<StepPlan> plain_plan(const AzimuthCompression& pass, SharedContext context);
/// Any other pass: see line_walker.cuh; line_passes.cu has one line for each.
template <class Pass>
std::unique_ptr<StepPlan> plain_line_plan(const Pass& pass, const PassTuning& tuning, SharedContext context);

}  // namespace cornerturn
