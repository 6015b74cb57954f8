// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/fused/plans.h"
#include "kernels/cuda/fused/range_line.cuh"
#include "kernels/cuda/fused/range_plan.h"
#include "kernels/cuda/fused/split_tables.h"

namespace cornerturn {

std::unique_ptr<StepPlan> fused_plan(const RangeCompression& pass, const PassTuning& tuning, SharedContext context) {
    if (split_of(pass.fft_length)) return split_range_plan(pass, tuning, std::move(context));
    const bool common = CommonEcho::serves(pass.format);
    if (tuning.scaled_halves)
        return common ? range_plan<CommonEcho, HalfPair>(pass, std::move(context))
                      : range_plan<RareEcho, HalfPair>(pass, std::move(context));
    return common ? range_plan<CommonEcho, Complex64>(pass, std::move(context))
                  : range_plan<RareEcho, Complex64>(pass, std::move(context));
}

}  // namespace cornerturn
