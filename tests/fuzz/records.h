// SPDX-License-Identifier: Apache-2.0
// Where in files of records what lies: space packets, CEOS records, the XML and the parameters of pulses of CPHD,
// headers and XML of NITF, directories of TIFF.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cornerturn::fuzz {

/// A value of a file: so many bytes from there on.
struct Field {
    enum class Kind {
        integer,
        real,
        text,
        little
    } kind = Kind::integer;  ///< most significant byte first, but `little`
    std::uint64_t at = 0;
    std::uint32_t bytes = 0;
};

/// [first, last) of a file, and what lies there. Those of one kind have as many fields, in the same order.
struct Record {
    std::uint64_t first = 0, last = 0;
    std::vector<Field> fields;
};

/// Empty for files of other formats.
std::vector<Record> records_of(const std::string& bytes);

}  // namespace cornerturn::fuzz
