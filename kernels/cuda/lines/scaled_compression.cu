// SPDX-License-Identifier: Apache-2.0
#include "kernels/passes/scaled_compression.h"

#include "kernels/cuda/lines/line_walker.cuh"

namespace cornerturn {

template std::unique_ptr<StepPlan> fused_line_plan(const ScaledCompression&, SharedContext);

}  // namespace cornerturn
