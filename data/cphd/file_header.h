// SPDX-License-Identifier: Apache-2.0
// The text at the head of a CPHD file (NGA.STND.0068-1, section 3.2), which says where its blocks are.
#pragma once

#include <cstdint>
#include <string>

#include "data/files/binary_file.h"

namespace cornerturn::cphd {

/// Bytes of a file.
struct Block {
    std::uint64_t first = 0, bytes = 0;

    /// Whether so many records of `record_bytes` each, from `offset` on, lie within it.
    bool holds(std::uint64_t offset, std::uint64_t records, std::uint64_t record_bytes) const {
        return offset <= bytes && (record_bytes == 0 || records <= (bytes - offset) / record_bytes);
    }
};

struct FileHeader {
    std::string version;  ///< "1.0.1"
    Block xml, pulses, signal;
};

/// By its first bytes; false, too, where it cannot be read.
bool is_cphd_file(const std::string& path);

/// Throws InputError for versions other than 1.0 and 1.1, and where the file ends before its blocks do.
FileHeader read_file_header(const BinaryFile& file);

}  // namespace cornerturn::cphd
