// SPDX-License-Identifier: Apache-2.0
// How wide a target may be and how easily it is moved, beside what theory says of a flat band.
#pragma once

#include "pipeline/acquisition/image.h"
#include "pipeline/measure/point_theory.h"
#include "pipeline/proof/scene_geometry.h"

namespace cornerturn::campaign {

struct Span {
    double low = 1, high = 1;
};

/// On rows of zero Doppler as flown: what tells rows from each other is how a pulse's range changes from row to row,
/// and speed that changes or sway makes that another frequency than the Doppler's, of which theory holds the band.
Span widths_as_flown(const SceneGeometry& geometry, const Scene& scene, const LocatedTarget& target,
                     const Footprint& seen);
/// On rows of a reference track, of whose frequencies theory holds the band.
Span widths_on_rows(const SceneGeometry& geometry, const Orbit& reference, const LocatedTarget& target,
                    const Footprint& seen);
/// How far, in pixels, what is beside a target in phase quadrature moves its peak for each part of the target's
/// amplitude: 1 / (2 pi rms frequency) along an axis by itself (sqrt(3) / (pi band) of a flat band). The spectrum of a
/// squinted image is sheared, so that its ridge is steep along a diagonal of rows and columns and flat across it, and
/// pixels of samples that were made finer are small against it: the inverse of the covariance of frequencies has both.
double movable_px(const ResponseSupport& support, const ImageGrid& grid);

}  // namespace cornerturn::campaign
