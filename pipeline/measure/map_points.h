// SPDX-License-Identifier: Apache-2.0
// Measures point targets in an image on a map: where they lie and how wide they are along its axes. Rests on no
// geometry.
#pragma once

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
};

struct MapPointAnalysis {
    MapTarget target;
    std::string refused;  ///< why it could not be measured; "" if it was, and only then the rest counts

    double row = 0, column = 0;      ///< of the peak, image pixels
    MapPoint found;                  ///< the same on the map
    double east_m = 0, north_m = 0;  ///< peak less target, along x and y
    double magnitude = 0;            ///< of the peak
    double pixel_phase_deg =
        0;  ///< of the pixel next to the peak: what lies between pixels has a phase that turns many times
    CutMetrics across, down;  ///< along x and along y
};

/// Finds the peak within 8 pixels of the target and measures it. Never throws for one that cannot be measured; see
/// `refused`. The carrier of the response is taken from the response itself, as its spectrum lies about it: wrapped,
/// which is enough to read between pixels whose spacing holds the band.
MapPointAnalysis analyze_map_point(const ImageView& image, const MapTarget& target,
                                   const TripleProduct& multiply = triple_product);

/// The `count` brightest pixels that are at least `separation_px` apart in row or column, brightest first.
std::vector<MapTarget> strongest_map_points(const ImageView& image, int count, std::int64_t separation_px = 32);

}  // namespace cornerturn
