// SPDX-License-Identifier: Apache-2.0
// A patch of the image around a target beside the same patch by time-domain back-projection.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/device.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

inline constexpr std::int64_t comparison_side_px = 16;
inline constexpr std::int64_t comparison_pixels = comparison_side_px * comparison_side_px;

struct ChipComparison {
    std::string refused;                       ///< why there is nothing to compare; "" if there is, and only then the rest counts
    double correlation = 0;                    ///< |<image, reference>| / (|image| |reference|)
    double distance_px = 0;                    ///< between the two peaks, the larger of both axes
    double phase_deg = 0;                      ///< image less reference at the reference's peak
    bool fully_recorded = false;               ///< every pulse of the target lies in the echo
    std::complex<double> at_truth_over_truth;  ///< reference exactly at the true place over amplitude * exp(-j 4 pi R0 / lambda)
};

/// Compares 16 x 16 pixels around a target. `echo` lies on `device`, which back-projects in double precision.
ChipComparison compare_with_backprojection(Device& device, const Matrix& echo, const Image& image, const PointTarget& target);

}  // namespace cornerturn
