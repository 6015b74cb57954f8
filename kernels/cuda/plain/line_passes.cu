// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/plain/line_walker.cuh"

namespace cornerturn {

template std::unique_ptr<StepPlan> plain_line_plan(const RangeCompression&, const PassTuning&, SharedContext);
template std::unique_ptr<StepPlan> plain_line_plan(const AzimuthSpectrum&, const PassTuning&, SharedContext);
template std::unique_ptr<StepPlan> plain_line_plan(const SecondaryRangeCompression&, const PassTuning&, SharedContext);

}  // namespace cornerturn
