// SPDX-License-Identifier: Apache-2.0
// Files of libtiff, and what it complains about.
#pragma once

#include <tiffio.h>

#include <memory>
#include <string>

namespace cornerturn {

struct CloseTiff {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using TiffHandle = std::unique_ptr<TIFF, CloseTiff>;

/// `mode` as of TIFFOpen. None where that fails.
TiffHandle open_tiff(const std::string& path, const char* mode);

/// What libtiff last complained about in this thread.
const std::string& tiff_complaint();

}  // namespace cornerturn
