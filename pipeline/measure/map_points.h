// SPDX-License-Identifier: Apache-2.0
// Measurement of point targets in an image on a map: places and widths along its axes. Uses no geometry.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/measure/cut_metrics.h"
#include "pipeline/measure/image_view.h"
#include "pipeline/measure/matrix_fourier.h"

namespace cornerturn {

/// Where to look, in the map's own coordinates.
struct MapTarget {
    MapPoint place;
    bool exact = true;  ///< the place is known, not found by searching the image
    struct Truth {
        std::complex<double> amplitude;  ///< that should be there
        bool whole = false;              ///< all of it: every pulse that was summed sees the target
        /// By which the phase turns from pixel to pixel along columns and rows, as seen from the antenna amid these
        /// pulses: many cycles, of which an image tells a fraction only.
        double cycles_down = 0, cycles_across = 0;
        Vec3 place_m{}, antenna_m{};  ///< in ECEF: of the target, and of that antenna
    };
    std::optional<Truth> truth = {};
    std::optional<double> above_m = {};  ///< the ground that the map shows, where that is known
};

struct MapPointAnalysis {
    MapTarget target;
    std::string refused;  ///< why it could not be measured; "" if it was, and only then the rest counts

    double row = 0, column = 0;                           ///< of the peak, image pixels
    MapPoint found;                                       ///< the same on the map
    double east_m = 0, north_m = 0;                       ///< peak less target, along x and y
    double magnitude = 0;                                 ///< of the peak
    std::optional<std::complex<double>> over_truth = {};  ///< the image at the target's place over its amplitude
    double pixel_phase_deg =
        0;  ///< of the pixel next to the peak: what lies between pixels has a phase that turns many times
    CutMetrics across, down;  ///< along x and along y
};

/// Pixels about a target that analyze_map_point reads, as far as the image has them.
PixelBlock map_pixels_about(const Image& image, const MapPoint& place);

/// Finds the peak within 8 pixels of the target and measures it. Never throws for one that cannot be measured; see
/// `refused`. The carrier of the response is taken from the response itself, as its spectrum lies about it: wrapped,
/// which is enough to read between pixels whose spacing holds the band.
MapPointAnalysis analyze_map_point(const ImageView& image, const MapTarget& target,
                                   const TripleProduct& multiply = triple_product);

/// The `count` brightest pixels that are at least 32 pixels apart in row or column, brightest first.
std::vector<MapTarget> strongest_map_points(const ImageView& image, int count);

}  // namespace cornerturn
