// SPDX-License-Identifier: Apache-2.0
// How fast plain calls read and write files here: what reading and writing products are held against.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace cornerturn {

/// Reads the beginning of a file in large pieces. Throws DeviceError where the system fails or the file is shorter.
void plain_read(const std::string& file, std::span<std::byte> to);
/// Writes a file in large pieces; under its name when complete.
void plain_write(const std::string& file, std::span<const std::byte> bytes);

/// Bytes a second of plain sequential reading; a file that was read lately comes out of memory. 0 for an empty file.
double plain_read_rate(const std::string& file, std::size_t most_bytes);

/// Of plain sequential writing to a file of its own beside `file`, gone afterwards. As programs write, so without
/// waiting for the disk. Throws DeviceError where the system fails.
double plain_write_rate(const std::string& file, std::size_t bytes);

}  // namespace cornerturn
