// SPDX-License-Identifier: Apache-2.0
// The line passes of has_fused_line_kernels (ways.h) that begin with a forward transform; image_lines.cu has the other.
// What is not among them goes by sweeps and cuFFT: kernels for every length take nvcc minutes.
#include "kernels/cuda/lines/line_walker.cuh"
#include "kernels/passes/azimuth_spectrum.h"
#include "kernels/passes/secondary_range_compression.h"

namespace cornerturn {

template std::unique_ptr<StepPlan> fused_line_plan(const AzimuthSpectrum&, SharedContext);
template std::unique_ptr<StepPlan> fused_line_plan(const SecondaryRangeCompression&, SharedContext);

}  // namespace cornerturn
