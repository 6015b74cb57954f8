// SPDX-License-Identifier: Apache-2.0
// The passes as one kernel each, the transform in registers and shared memory. All throw Unsupported for lengths that
// have no kernel.
#pragma once

#include <memory>

#include "kernels/cuda/runtime/context.h"
#include "kernels/cuda/runtime/pass_tuning.h"
#include "kernels/device/step_plan.h"

namespace cornerturn {

struct RangeCompression;
struct AzimuthCompression;
struct AzimuthImage;

std::unique_ptr<StepPlan> fused_plan(const RangeCompression& pass, const PassTuning& tuning, SharedContext context);
std::unique_ptr<StepPlan> fused_plan(const AzimuthCompression& pass, SharedContext context);
/// Any other pass: see line_walker.cuh; line_passes.cu has one line for each.
template <class Pass>
std::unique_ptr<StepPlan> fused_line_plan(const Pass& pass, SharedContext context);
template <>
std::unique_ptr<StepPlan> fused_line_plan(const AzimuthImage& pass, SharedContext context);

}  // namespace cornerturn
