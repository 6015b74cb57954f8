// SPDX-License-Identifier: Apache-2.0
// Records of CEOS files: a header of twelve bytes, then text and big-endian numbers at fixed places. Places count from
// 1, as the formats' descriptions have them.
#pragma once

#include <optional>
#include <string>

#include "data/files/binary_file.h"

namespace cornerturn::ceos {

/// The four bytes of its kind.
enum class Kind : std::uint32_t {
    leader_descriptor = 0x0BC01212,
    image_descriptor = 0x32C01212,
    data_set_summary = 0x120A1214,
    platform_position = 0x121E1214,
    signal_data = 0x320A1214
};

class Record {
public:
    static constexpr std::size_t header_bytes = 12;

    /// That which begins at a byte of a file, or as much of it as is asked for. Throws InputError where the file ends
    /// within, or the length cannot be.
    Record(const BinaryFile& file, std::uint64_t first, std::size_t most_bytes = SIZE_MAX);

    std::uint32_t kind() const { return static_cast<std::uint32_t>(unsigned_at(5, 4)); }
    bool is(Kind of) const { return kind() == static_cast<std::uint32_t>(of); }
    /// Where the next one begins.
    std::uint64_t end() const { return first_ + length_; }
    std::uint64_t length() const { return length_; }

    /// Throw InputError naming the place where the record ends before, or no number stands.
    std::uint64_t unsigned_at(std::size_t place, std::size_t bytes) const;
    std::string text(std::size_t place, std::size_t bytes) const;
    double number(std::size_t place, std::size_t bytes, const char* meaning) const;
    std::int64_t integer(std::size_t place, std::size_t bytes, const char* meaning) const;
    /// Nothing where the field is blank.
    std::optional<double> optional_number(std::size_t place, std::size_t bytes, const char* meaning) const;
    /// "FILE: record at byte N, bytes A to B"
    std::string where(std::size_t place, std::size_t bytes) const;

private:
    std::string file_;
    std::uint64_t first_, length_ = 0;
    std::vector<std::byte> bytes_;
};

}  // namespace cornerturn::ceos
