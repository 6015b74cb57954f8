// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/fused/line_walker.cuh"

namespace cornerturn {

template std::unique_ptr<StepPlan> fused_line_plan(const AzimuthSpectrum&, SharedContext);
template std::unique_ptr<StepPlan> fused_line_plan(const SecondaryRangeCompression&, SharedContext);
template std::unique_ptr<StepPlan> fused_line_plan(const ChirpScaling&, SharedContext);
template std::unique_ptr<StepPlan> fused_line_plan(const ScaledCompression&, SharedContext);
template std::unique_ptr<StepPlan> fused_line_plan(const AzimuthImage&, SharedContext);

}  // namespace cornerturn
