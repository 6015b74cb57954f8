// SPDX-License-Identifier: Apache-2.0
// Reading of images in flat files with a header of ENVI's: complex samples row by row, and what the header tells.
#pragma once

#include <string>

#include "data/files/stored_image.h"

namespace cornerturn {

/// Whether a header NAME.hdr, or one whose ending takes the place of NAME's, lies beside the file; or whether it is
/// such a header itself.
bool is_envi(const std::string& path);

/// The samples' file, or its header, may be named. One band of complex64, in either order of bytes. Of maps: `map info`
/// in degrees of WGS84, in UTM of it, or with `coordinate system string` of an EPSG code. Times, ranges and the rest as
/// our own writer tells them. Throws InputError naming the header, what was found and what was expected.
StoredImage open_envi(const std::string& path);

}  // namespace cornerturn
