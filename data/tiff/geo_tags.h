// SPDX-License-Identifier: Apache-2.0
// Where an image's pixels lie on the Earth, as GeoTIFF tells it (OGC 19-008r4).
#pragma once

#include <cstdint>
#include <vector>

#include "data/tiff/cog_layout.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// Rows and columns of an image that make one pixel of the file.
struct PixelCells {
    std::int64_t rows = 1, columns = 1;
};

/// On a map its CRS and the corner of the first pixel; of a local plane the corner without a CRS. On the zero-Doppler
/// grid, and on the plane of a scene, ground control points in longitude, latitude (WGS84) and height: at the height of
/// the scene, 21 x 21 of them evenly over the image. Empty where no orbit tells.
std::vector<TiffTag> geo_tags(const Image& image, const PixelCells& cells = {});

}  // namespace cornerturn
