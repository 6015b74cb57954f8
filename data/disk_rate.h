// SPDX-License-Identifier: Apache-2.0
// How fast plain calls read and write files here: what reading and writing products are held against.
#pragma once

#include <cstddef>
#include <string>

namespace cornerturn {

/// Bytes a second of plain sequential reading; a file that was read lately comes out of memory. 0 for an empty file.
double plain_read_rate(const std::string& file, std::size_t most_bytes);

/// Of plain sequential writing to a file of its own beside `file`, gone afterwards. As programs write, so without waiting for the disk.
/// Throws DeviceError where the system fails.
double plain_write_rate(const std::string& file, std::size_t bytes);

}  // namespace cornerturn
