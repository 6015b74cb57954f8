// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/beam_widening.h"

#include <algorithm>
#include <cmath>

namespace cornerturn {
namespace {

/// Over the swath, on a row so far along the image.
double largest_widening(const ViewingGeometry& geometry, const ImageGrid& grid, double part_of_rows) {
    constexpr int ranges = 9;
    double widening = 1;
    for (int k = 0; k < ranges; ++k) {
        const double part = k / (ranges - 1.0);
        const BeamCentre beam = geometry.beam_centre(grid.time_s(part_of_rows * static_cast<double>(grid.rows - 1)),
                                                     grid.range_m(part * static_cast<double>(grid.columns - 1)));
        if (std::isfinite(beam.widening)) widening = std::max(widening, beam.widening);
    }
    return widening;
}

}  // namespace

double largest_widening(const ViewingGeometry& geometry, const ImageGrid& grid) {
    // Points beside the ends of an image are not seen whole. Gusts turn a beam by less, and not for all of an aperture:
    // that is what its centre wanders by.
    constexpr double grows = 1.25;
    double widening = largest_widening(geometry, grid, 0.5);
    if (!geometry.steady())
        for (const double part : {0.25, 0.75})
            if (const double there = largest_widening(geometry, grid, part); there > grows * widening) widening = there;
    return widening;
}

}  // namespace cornerturn
