// SPDX-License-Identifier: Apache-2.0
// A patch of the image around a target beside the same patch by time-domain back-projection.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>

#include "kernels/device/device.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/measure/image_view.h"

namespace cornerturn {

inline constexpr std::int64_t comparison_side_px = 16;
inline constexpr std::int64_t comparison_pixels = comparison_side_px * comparison_side_px;

struct ChipComparison {
    std::string refused;          ///< why there is nothing to compare; "" if there is, and only then the rest counts
    double correlation = 0;       ///< |<image, reference>| / (|image| |reference|)
    double distance_px = 0;       ///< between the two peaks, the larger of both axes
    double phase_deg = 0;         ///< image less reference at the reference's peak
    double width_percent = 0;     ///< of the image's -3 dB widths over the reference's, the larger part of both axes
    bool fully_recorded = false;  ///< every pulse of the target lies in the echo
    std::complex<double>
        at_truth_over_truth;  ///< reference exactly at the true place over amplitude * exp(-j 4 pi R0 / lambda)
};

/// The pixels that are compared; none where they are not all in the image.
std::optional<PixelBlock> comparison_pixels_about(const ImageGrid& grid, const PointTarget& target);

/// Compares 16 x 16 pixels around a target. Of the echo the lines of the target's aperture go to `device`, which
/// back-projects in double precision. Each pixel sums the pulses that see it within the band that is illuminated of the
/// target, and `beside_hz` beyond either end of it, so that all see all of the target's.
ChipComparison compare_with_backprojection(Device& device, EchoSource& echo, const ImageView& image,
                                           const PointTarget& target, double beside_hz = 0);

}  // namespace cornerturn
