// SPDX-License-Identifier: Apache-2.0
// Axes of two images that are to be compared, made to count from the same moment.
#pragma once

#include <optional>
#include <string>

#include "pipeline/acquisition/image.h"
#include "pipeline/acquisition/track/same_track.h"

namespace cornerturn {

/// The second image's times since the first one's epoch. Rows are zero Doppler of the images' tracks: where these are
/// one way through space at two times (two flights by --reference-track), the second image's times become those of the
/// first one's. Returns how the tracks lie: nothing where one is not known, nor of maps, whose places need neither
/// times nor tracks. Throws InputError for an image without axes.
std::optional<TrackMatch> share_axes(const std::string& first_name, Image& first, const std::string& second_name,
                                     Image& second);

}  // namespace cornerturn
