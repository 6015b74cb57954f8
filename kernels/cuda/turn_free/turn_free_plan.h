// SPDX-License-Identifier: Apache-2.0
// Azimuth FFT, migration correction, azimuth compression and inverse FFT of a matrix whose rows stay echo lines:
// AzimuthSpectrum and AzimuthCompression without the corner turns before, between and behind them. One source file for
// each format of what lies between the kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cuda/runtime/context.h"
#include "kernels/device/step_plan.h"
#include "kernels/math/interpolation.h"
#include "kernels/passes/echo_format.h"

namespace cornerturn {

struct AzimuthCompression;
struct AzimuthImage;
struct AzimuthSpectrum;

/// in: lines x cells, overwritten; of halves with a scale for each line (kernels/device/scaled_lines.h) where Sample is
/// HalfPair, as is what lies between the kernels. out: image_rows x columns, native. Both storages must hold fft_length
/// x cells, or x columns where those are more. No more of the pass than kernels need, which so are not compiled anew
/// where it is changed. What it refers to has to last while the plan is made.
struct TurnFreeCompression {
    std::int64_t lines;    ///< of the echo
    std::int64_t cells;    ///< of a line of it
    std::int64_t columns;  ///< of the image
    std::int64_t image_rows;
    std::int64_t fft_length;
    SincKernel kernel;
    const std::vector<Interval>& covered_rows;  ///< per column
    const AzimuthCompression& migration;        ///< for its laws
};

/// Throws Unsupported for what has no kernel.
template <class Sample>
std::unique_ptr<StepPlan> turn_free_plan(const TurnFreeCompression& pass, SharedContext context);

/// A transform with the corner turns before and behind it, of complex64. in: lines x cells, overwritten; its storage
/// must hold fft_length x cells. out: fft_length x cells.
std::unique_ptr<StepPlan> turn_free_plan(const AzimuthSpectrum& pass, SharedContext context);
/// in: fft_length x columns. out: image_rows x columns; its storage must hold fft_length x columns.
std::unique_ptr<StepPlan> turn_free_plan(const AzimuthImage& pass, SharedContext context);

}  // namespace cornerturn
