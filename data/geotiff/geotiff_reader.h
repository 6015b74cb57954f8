// SPDX-License-Identifier: Apache-2.0
// Reading of complex images in TIFF: ours and those of other programs.
#pragma once

#include <string>

#include "data/files/stored_image.h"

namespace cornerturn {

/// Whether the file is a TIFF.
bool is_tiff_image(const std::string& path);

/// One channel of CFloat32, or CInt16 times the scale of GDAL's metadata; in tiles or strips, compressed or not. On a
/// map by its EPSG code; times, ranges and the rest as our own writer tells them in GDAL's metadata: of other programs'
/// images with control points they stay unknown. Throws InputError naming what was found and what was expected.
StoredImage open_tiff_image(const std::string& path);

}  // namespace cornerturn
