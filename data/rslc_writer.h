// SPDX-License-Identifier: Apache-2.0
// Writing of focused images as NISAR RSLC files.
#pragma once

#include <string>

#include "pipeline/image.h"

namespace cornerturn {

/// Every row that isce3's Python and C++ readers want is written; what the acquisition lacks (orbit, attitude) is made up and marked
/// so. Throws InputError for an unwritable path, DeviceError where the system fails, Interrupted on request; nothing is left behind
/// then.
void write_rslc(const std::string& path, const Image& image);

/// Bytes that write_rslc needs on the disk for a grid, for a check before the work.
std::uint64_t rslc_bytes(const ImageGrid& grid);

}  // namespace cornerturn
