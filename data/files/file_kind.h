// SPDX-License-Identifier: Apache-2.0
// What a file is by its first bytes, whatever its name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cornerturn {

/// Of an HDF5 file, or of what follows a block of the user's in one.
inline constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";

enum class FileKind { hdf5, tiff, other };

/// Throws InputError where it cannot be opened.
FileKind file_kind(const std::string& path);

/// Its first bytes, fewer where it has no more; empty where it cannot be read.
std::string beginning_of(const std::string& path, std::size_t bytes);

}  // namespace cornerturn
