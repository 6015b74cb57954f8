// SPDX-License-Identifier: Apache-2.0
// Images on maps as SICD has them: on a plane (PLANE), turned by quarters so that shadows fall downwards.
#pragma once

#include "data/sicd/geometry.h"

namespace cornerturn::sicd {

/// Fills in all but times of the collection and pulses, which are there. Throws InputError where the map lies nowhere
/// on the Earth, over a terrain, or is so large that it is no plane: where a pixel on the ground would be more than
/// 0.05 pixels from its place on the plane, by range and range rate.
void put_on_plane(const Image& image, double start_s, Geometry& geometry);

}  // namespace cornerturn::sicd
