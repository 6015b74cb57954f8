// SPDX-License-Identifier: Apache-2.0
// The kernels of azimuth compression without a corner turn, one source file for each format between them.
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

/// What the kernels have to know of an UnturnedAzimuthCompression: no more, so that they need not be compiled anew
/// where the pass is changed. What it refers to has to last while the plan is made.
struct UnturnedColumns {
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
std::unique_ptr<StepPlan> unturned_plan(const UnturnedColumns& columns, SharedContext context);

}  // namespace cornerturn
