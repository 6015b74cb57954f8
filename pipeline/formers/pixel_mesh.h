// SPDX-License-Identifier: Apache-2.0
// Where the pixels of a zero-Doppler grid are, and what back-projection needs to know of each: on a mesh that is as
// coarse as it may be.
#pragma once

#include "pipeline/formers/image_plan.h"
#include "pipeline/formers/node_mesh.h"

namespace cornerturn {

/// By which the echoes of an image come later than geometry says (DelayedTrack), in its middle. Lines are read that
/// much later; what other pixels have beyond it moves their nodes.
double common_delay_s(const ImagePlan& image);
/// By which a sum over the band is divided, where the FM rate multiplies it, so that a point of amplitude A peaks at A.
double weight_of_band(const Acquisition& acquisition, const FormerParameters& parameters);
/// FM rate in the beam's centre, of as many pulses as the PRF has: by it sums over pulses have a flat spectrum along
/// rows. Where pulses are uneven there are more or fewer of them about it, in half of the band.
double rate_of_pulses_hz_s(const Acquisition& acquisition, const FormerParameters& parameters,
                           double zero_doppler_time_s, const BeamCentre& centre);

/// What of a margin has places on the ground that follow those of the image.
MeshMargin known_margin(const ImagePlan& image, MeshMargin beyond);

PixelMesh pixel_mesh(const Acquisition& acquisition, const ImagePlan& image);
/// With as much of the margin as there is: heights are not known beyond a terrain's swath, and ranges shorter than the
/// antenna's height reach no ground.
PlacesAround places_around_pixels(const Acquisition& acquisition, const ImagePlan& image, MeshMargin beyond);

}  // namespace cornerturn
