// SPDX-License-Identifier: Apache-2.0
// Where the pixels of a map are, and what back-projection needs to know of each.
#pragma once

#include "pipeline/formers/image_plan.h"
#include "pipeline/formers/node_mesh.h"

namespace cornerturn {

/// Phase of a pixel: that of its sum, from which each line's two-way delay to the pixel's place is taken away. So a
/// point that lies at a pixel's centre has its own phase there, whatever its range (flattened, as in NISAR's GSLC): the
/// pixel of an image on the zero-Doppler grid has exp(-j 4 pi R0 / lambda) beside it, R0 the closest range of its
/// place. A track without zero Doppler needs no more than that. Gain: a point of amplitude A peaks at A; of a free
/// track the mean over the pulses.
PixelMesh map_mesh(const Acquisition& acquisition, const ImagePlan& image);
/// Of a track whose pulses all count, places beside the map, too.
PlacesAround places_around_map(const Acquisition& acquisition, const ImagePlan& image, MeshMargin beyond);

}  // namespace cornerturn
