// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/plain/line_walker.cuh"
#include "kernels/passes/stolt_interpolation.h"

namespace cornerturn {

template std::unique_ptr<StepPlan> plain_line_plan(const StoltInterpolation&, const PassTuning&, SharedContext);

}  // namespace cornerturn
