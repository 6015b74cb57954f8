// SPDX-License-Identifier: Apache-2.0
// Where on the Earth an image lies, for a picture of it.
#pragma once

#include "data/picture/footprint_chart.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// The outline of an image, its known targets, and how it was looked at. The outline is empty where nothing tells where
/// on the Earth the image lies, or where its ranges do not reach the ground.
FootprintChart footprint_of(const Image& image);

}  // namespace cornerturn
