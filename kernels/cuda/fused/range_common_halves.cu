// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/fused/range_plan.cuh"

template std::unique_ptr<cornerturn::StepPlan> cornerturn::range_plan<cornerturn::CommonEcho, cornerturn::HalfPair>(
    const RangeCompression&, SharedContext);
