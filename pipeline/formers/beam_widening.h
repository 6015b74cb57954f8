// SPDX-License-Identifier: Apache-2.0
// How much wider than the beam the band is that it lights a point of an image over.
#pragma once

#include "pipeline/acquisition/image.h"
#include "pipeline/acquisition/track/viewing_geometry.h"

namespace cornerturn {

/// Of the points that it lights longest (BeamCentre::widening), in rows that are seen whole. At least 1.
double largest_widening(const ViewingGeometry& geometry, const ImageGrid& grid);

}  // namespace cornerturn
