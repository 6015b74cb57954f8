// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/fused/plans.h"
#include "kernels/cuda/fused/unturned_plan.h"
#include "kernels/scaled_lines.h"

namespace cornerturn {

std::unique_ptr<StepPlan> fused_plan(const UnturnedAzimuthCompression& pass, SharedContext context) {
    return pass.scaled_halves ? unturned_plan<HalfPair>(pass, std::move(context))
                              : unturned_plan<Complex64>(pass, std::move(context));
}

}  // namespace cornerturn
