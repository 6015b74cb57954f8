// SPDX-License-Identifier: Apache-2.0
// Checks and times back-projection of compressed lines that lie on a device.
#pragma once

#include <vector>

#include "app/bench/backprojection_scene.h"
#include "kernels/device/device.h"
#include "pipeline/echo/progress.h"

namespace cornerturn {

struct BackprojectionRequest {
    BackprojectionScene scene;
    std::vector<double> signal_to_error_db{87, 102};  ///< asked for, one run after the other
    int repeat = 5, threads = 0;
};

/// One accuracy.
struct BackprojectionStep {
    double asked_db = 0;
    double seen_db = 0;       ///< at pixels anywhere, to the sum in double precision
    double of_points_db = 0;  ///< at those of the points
    double median_ms = 0;
    double gpixel_lines_per_s = 0;
};

struct BackprojectionBench {
    std::int64_t cells = 0;  ///< of a line
    std::vector<BackprojectionStep> steps;
    std::vector<std::string> wrong;  ///< what was worse than asked for; nothing was timed after it
};

/// Margin by which a result may miss the accuracy asked for: the predicted error of tiles is not exact, and only
/// some pixels are checked.
inline constexpr double tolerated_db = 3;

BackprojectionBench measure_backprojection(Device& device, const BackprojectionRequest& request,
                                           const Progress& progress);

}  // namespace cornerturn
