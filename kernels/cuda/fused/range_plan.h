// SPDX-License-Identifier: Apache-2.0
// The kernels of range compression, one source file for each kind: nvcc takes its time.
#pragma once

#include <memory>

#include "kernels/cuda/context.h"
#include "kernels/cuda/pass_tuning.h"
#include "kernels/passes/range_compression.h"
#include "kernels/step_plan.h"

namespace cornerturn {

/// Throws Unsupported for a length that has no kernel.
template <class Echo, class Sample>
std::unique_ptr<StepPlan> range_plan(const RangeCompression& pass, SharedContext context);

/// For lines that no block of threads can hold, of any format. Throws Unsupported likewise.
std::unique_ptr<StepPlan> split_range_plan(const RangeCompression& pass, const PassTuning& tuning,
                                           SharedContext context);

}  // namespace cornerturn
