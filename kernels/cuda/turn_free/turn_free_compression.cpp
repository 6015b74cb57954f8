// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/turn_free/turn_free_compression.h"

#include "kernels/cuda/lines/plans.h"
#include "kernels/cuda/turn_free/turn_free_plan.h"
#include "kernels/device/scaled_lines.h"

namespace cornerturn {

std::unique_ptr<StepPlan> fused_plan(const UnturnedAzimuthCompression& pass, SharedContext context) {
    const UnturnedColumns columns{.lines = pass.lines,
                                  .cells = pass.azimuth.input_cells,
                                  .columns = pass.azimuth.columns,
                                  .image_rows = pass.azimuth.image_rows,
                                  .fft_length = pass.azimuth.fft_length,
                                  .kernel = pass.azimuth.kernel,
                                  .covered_rows = pass.azimuth.covered_rows,
                                  .migration = pass.azimuth};
    return pass.scaled_halves ? unturned_plan<HalfPair>(columns, std::move(context))
                              : unturned_plan<Complex64>(columns, std::move(context));
}

}  // namespace cornerturn
