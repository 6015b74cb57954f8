// SPDX-License-Identifier: Apache-2.0
// What a file is that is not of the formats that were asked for, in words: the end of every search for a format.
#pragma once

#include <string>
#include <string_view>

namespace cornerturn {

/// What is read as raw echo, and as images, for those who gave something else.
inline constexpr std::string_view raw_echo_wanted =
    "raw echo (NISAR L0B, ALOS PALSAR level 1.0, Sentinel-1 Level-0 or CPHD)";
inline constexpr std::string_view image_wanted = "a focused image (NISAR RSLC or GSLC, SICD, GeoTIFF or ENVI)";

/// Throws InputError for a pipe or a device: content is looked for anywhere in a file, and read again.
void require_file_or_folder(const std::string& path);

/// Throws InputError as below for a file that is there and does not begin as text: before it is read as such.
void require_text(const std::string& path, std::string_view wanted);

/// Throws InputError "PATH: is a PNG picture, expected WANTED"; also where the path cannot be read.
[[noreturn]] void refuse_other_content(const std::string& path, std::string_view wanted);

}  // namespace cornerturn
