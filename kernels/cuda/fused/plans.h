// SPDX-License-Identifier: Apache-2.0
// The passes as one kernel each, the transform in registers and shared memory. All throw Unsupported for lengths that have no kernel.
#pragma once

#include <memory>

#include "kernels/cuda/context.h"
#include "kernels/device.h"

namespace cornerturn {

std::unique_ptr<PassPlan> fused_plan(const RangeCompression& pass, SharedContext context);
std::unique_ptr<PassPlan> fused_plan(const AzimuthSpectrum& pass, SharedContext context);
std::unique_ptr<PassPlan> fused_plan(const SecondaryRangeCompression& pass, SharedContext context);
std::unique_ptr<PassPlan> fused_plan(const AzimuthCompression& pass, SharedContext context);
std::unique_ptr<PassPlan> fused_plan(const UnturnedAzimuthCompression& pass, SharedContext context);

}  // namespace cornerturn
