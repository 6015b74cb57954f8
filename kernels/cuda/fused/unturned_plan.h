// SPDX-License-Identifier: Apache-2.0
// The kernels of azimuth compression without a corner turn, one source file for each format between them.
#pragma once

#include <memory>

#include "kernels/cuda/context.h"
#include "kernels/cuda/fused/unturned_azimuth_compression.h"
#include "kernels/step_plan.h"

namespace cornerturn {

/// Throws Unsupported for what has no kernel.
template <class Sample>
std::unique_ptr<StepPlan> unturned_plan(const UnturnedAzimuthCompression& pass, SharedContext context);

}  // namespace cornerturn
