// SPDX-License-Identifier: Apache-2.0
// A file whose bytes have their places before they come, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "data/files/file_descriptor.h"
#include "data/files/output_file.h"

namespace cornerturn {

/// An OutputFile of a size that is known: it appears under its name when it is committed, and stays nowhere unless it
/// was. What is not written is zero.
class PlacedFile {
public:
    /// Throws InputError for a path that cannot be written, DeviceError where the disk has no room for it.
    PlacedFile(const std::string& path, std::uint64_t bytes);

    /// Throws DeviceError where the system fails.
    void write(std::uint64_t at, std::span<const std::byte> bytes);
    void commit();

private:
    OutputFile output_;
    std::uint64_t bytes_;
    std::optional<FileDescriptor> file_;
};

}  // namespace cornerturn
