// SPDX-License-Identifier: Apache-2.0
// Axes of two images that are to be compared, made to count from the same moment.
#pragma once

#include <optional>
#include <string>

#include "pipeline/acquisition/image.h"
#include "pipeline/acquisition/track/same_track.h"

namespace cornerturn {

/// The second image's times since the first one's epoch.
void share_epoch(Image& first, Image& second);

/// Rows are zero Doppler of the images' tracks. Where these are one way through space at two times (two flights by
/// --reference-track), the second image's times become those of the first one's. Nothing where a track is not known.
std::optional<TrackMatch> share_track(Image& first, Image& second);

/// Both of the above for two images that `compare` is given, whose names complaints use. On maps there is nothing to be
/// shared: places need neither times nor tracks. Throws InputError where an image tells no axes.
std::optional<TrackMatch> share_axes(const std::string& first_name, Image& first, const std::string& second_name,
                                     Image& second);

}  // namespace cornerturn
