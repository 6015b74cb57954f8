// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/plain/line_walker.cuh"
#include "kernels/passes/pass.h"

namespace cornerturn {

template std::unique_ptr<StepPlan> plain_line_plan(const RangeCompression&, const PassTuning&, SharedContext);
template std::unique_ptr<StepPlan> plain_line_plan(const AzimuthSpectrum&, const PassTuning&, SharedContext);
template std::unique_ptr<StepPlan> plain_line_plan(const SecondaryRangeCompression&, const PassTuning&, SharedContext);
template std::unique_ptr<StepPlan> plain_line_plan(const DecodedEcho&, const PassTuning&, SharedContext);
template std::unique_ptr<StepPlan> plain_line_plan(const ScaledCompression&, const PassTuning&, SharedContext);
template std::unique_ptr<StepPlan> plain_line_plan(const AzimuthImage&, const PassTuning&, SharedContext);
template std::unique_ptr<StepPlan> plain_line_plan(const PhaseCorrection&, const PassTuning&, SharedContext);

}  // namespace cornerturn
