// SPDX-License-Identifier: Apache-2.0
#include "data/tiff/tiff.h"

namespace cornerturn {
namespace {

/// Of this thread: libtiff has only global handlers.
thread_local std::string complaint;
void keep_complaint(const char*, const char* format, va_list arguments) {
    char text[512];
    std::vsnprintf(text, sizeof(text), format, arguments);
    complaint = text;
}

}  // namespace

TiffHandle open_tiff(const std::string& path, const char* mode) {
    TIFFSetErrorHandler(keep_complaint);
    TIFFSetWarningHandler(nullptr);  // unknown tags, which all of GeoTIFF's are to it
    return TiffHandle(TIFFOpen(path.c_str(), mode));
}

const std::string& tiff_complaint() { return complaint; }

}  // namespace cornerturn
