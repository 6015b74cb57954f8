// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/turn_free/turn_free_plan.cuh"

template std::unique_ptr<cornerturn::StepPlan> cornerturn::turn_free_plan<cornerturn::Complex64>(
    const TurnFreeCompression&, SharedContext);
