// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/turn_free/columns_plan.cuh"
#include "kernels/cuda/turn_free/turn_free_plan.cuh"

namespace cornerturn {

template std::unique_ptr<StepPlan> turn_free_plan<Complex64>(const TurnFreeCompression&, SharedContext);

std::unique_ptr<StepPlan> turn_free_plan(const AzimuthSpectrum& pass, SharedContext context) {
    return std::make_unique<TurnFreeSpectrumPlan>(pass, std::move(context));
}

std::unique_ptr<StepPlan> turn_free_plan(const AzimuthImage& pass, SharedContext context) {
    return std::make_unique<TurnFreeImagePlan>(pass, std::move(context));
}

}  // namespace cornerturn
