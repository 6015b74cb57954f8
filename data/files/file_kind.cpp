// SPDX-License-Identifier: Apache-2.0
#include "data/files/file_kind.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "data/files/refusal.h"

namespace cornerturn {

FileKind file_kind(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) refuse(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
    std::array<char, hdf5_signature.size()> begin{};
    file.read(begin.data(), begin.size());
    const std::string_view magic(begin.data(), static_cast<std::size_t>(file.gcount()));
    if (magic == hdf5_signature) return FileKind::hdf5;
    // Of either order of bytes, classic (*) and big (+).
    for (const std::string_view of_tiff : {std::string_view("II*", 3), std::string_view("II+", 3),
                                           std::string_view("MM\0*", 4), std::string_view("MM\0+", 4)})
        if (magic.starts_with(of_tiff)) return FileKind::tiff;
    return FileKind::other;
}

std::string beginning_of(const std::string& path, std::size_t bytes) {
    std::string begin(bytes, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(begin.data(), static_cast<std::streamsize>(bytes));
    begin.resize(static_cast<std::size_t>(file.gcount()));
    return begin;
}

}  // namespace cornerturn
