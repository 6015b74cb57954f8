// SPDX-License-Identifier: Apache-2.0
// The baseband Doppler centroid estimated from an image instead of its echo.
#pragma once

#include <vector>

#include "pipeline/acquisition/doppler/doppler_estimate.h"
#include "pipeline/estimate/imager.h"

namespace cornerturn {

/// The lag-1 correlation of neighbouring rows in up to 8 x 16 tiles of the pixels that the echo covers fully, placed
/// where the beam's centre saw them. The whole beam has passed over these, where an echo's edges hold bright targets
/// that only a part of it has seen: in short scenes these pull the centroid of the echo by a tenth of the PRF (spectra
/// of compressed data: Cumming & Wong 2005, section 12.4). To be made with the whole PRF as azimuth bandwidth and
/// without a window.
std::vector<DopplerCell> cells_of_image(const SmallImage& focused);

}  // namespace cornerturn
