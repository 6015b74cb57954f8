// SPDX-License-Identifier: Apache-2.0
// Where in a NITF 2.1 file (MIL-STD-2500C), or an NSIF 1.0 one, its complex image and its XML are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/files/binary_file.h"
#include "data/sicd/nitf.h"

namespace cornerturn::nitf {

/// What the headers tell of a SICD file: the segments of its image, one below the other, uncompressed.
struct Found {
    std::int64_t rows = 0, columns = 0;
    Pixels pixels;
    std::vector<Segment> segments;
    std::vector<std::byte> xml;  ///< of the first data segment that is SICD's
};

/// Throws InputError naming the header and the field for what is damaged, and for what SICD's files are not: blocks,
/// compression, no XML.
Found read_nitf(const BinaryFile& file);

}  // namespace cornerturn::nitf
