// SPDX-License-Identifier: Apache-2.0
// Files of records that are read from anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/files/file_descriptor.h"

namespace cornerturn {

class BinaryFile {
public:
    /// Throws InputError where it cannot be opened.
    explicit BinaryFile(const std::string& path);
    const std::string& name() const { return name_; }
    std::uint64_t bytes() const { return bytes_; }
    /// Throws InputError where the file ends before, or cannot be read.
    void read(std::uint64_t first, std::span<std::byte> to) const;
    std::vector<std::byte> read(std::uint64_t first, std::size_t count) const;

private:
    std::string name_;
    FileDescriptor file_;
    std::uint64_t bytes_ = 0;
};

/// An unsigned number of so many bytes, the most significant first.
inline std::uint64_t big_endian(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint64_t>(byte);
    return value;
}

}  // namespace cornerturn
