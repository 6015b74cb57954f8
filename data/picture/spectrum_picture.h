// SPDX-License-Identifier: Apache-2.0
// The two-dimensional spectrum of an image as a picture with its frequencies beside it.
#pragma once

#include <span>

#include "data/picture/picture.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// Length of the spectrum of an image: the largest power of two that fits, 256 at most. 0: the image has fewer than
/// `least_spectrum` rows or columns.
inline constexpr std::int64_t least_spectrum = 16;
std::int64_t spectrum_size(const ImageGrid& grid);

/// Of size x size values in dB (mean_spectrum_db), drawn twice as large from 40 dB below the greatest to it. Range
/// frequency (about the carrier) grows to the right, azimuth frequency downwards over the one PRF about 0 Hz; a cross
/// of lines marks the Doppler centroid, as it is wrapped into that, and the range carrier 0.
Picture spectrum_picture(const Image& image, std::span<const float> db, std::int64_t size);

}  // namespace cornerturn
