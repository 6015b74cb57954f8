// SPDX-License-Identifier: Apache-2.0
#include "data/ceos/record.h"

#include <algorithm>
#include <cmath>

#include "data/files/refusal.h"
#include "data/files/trimmed.h"
#include "kernels/host/number_text.h"

namespace cornerturn::ceos {

Record::Record(const BinaryFile& file, std::uint64_t first, std::size_t most_bytes)
    : file_(file.name()), first_(first) {
    constexpr std::uint64_t longest = std::uint64_t{1} << 26;
    const std::vector<std::byte> header = file.read(first, header_bytes);
    length_ = big_endian(std::span(header).last(4));
    if (length_ < header_bytes || length_ > longest || length_ > file.bytes() - first)
        refuse(fmt::format("{}: record at byte {}", file_, first),
               fmt::format("is {} bytes long, expected {} to what is left of the file, {}", length_, header_bytes,
                           std::min(longest, file.bytes() - first)));
    bytes_ = file.read(first, std::min<std::size_t>(length_, most_bytes));
}

std::string Record::where(std::size_t place, std::size_t bytes) const {
    return fmt::format("{}: record at byte {}, bytes {} to {}", file_, first_, place, place + bytes - 1);
}

std::uint64_t Record::unsigned_at(std::size_t place, std::size_t bytes) const {
    if (place - 1 + bytes > bytes_.size()) refuse(where(place, bytes), "the record ends before");
    return big_endian(std::span(bytes_).subspan(place - 1, bytes));
}

std::string Record::text(std::size_t place, std::size_t bytes) const {
    if (place - 1 + bytes > bytes_.size()) refuse(where(place, bytes), "the record ends before");
    std::string text(reinterpret_cast<const char*>(bytes_.data()) + place - 1, bytes);
    std::replace(text.begin(), text.end(), '\0', ' ');
    return std::string(trimmed(text));
}

std::optional<double> Record::optional_number(std::size_t place, std::size_t bytes, const char* meaning) const {
    std::string word = text(place, bytes);
    if (word.empty()) return std::nullopt;
    for (char& c : word)
        if (c == 'D' || c == 'd') c = 'e';  // as Fortran writes doubles
    const auto value = finite_number_from(word);
    if (!value) refuse(where(place, bytes), fmt::format("'{}', expected a number: {}", shown(word), meaning));
    return value;
}

double Record::number(std::size_t place, std::size_t bytes, const char* meaning) const {
    const std::optional<double> value = optional_number(place, bytes, meaning);
    if (!value) refuse(where(place, bytes), fmt::format("is blank, expected a number: {}", meaning));
    return *value;
}

std::int64_t Record::integer(std::size_t place, std::size_t bytes, const char* meaning) const {
    const double value = number(place, bytes, meaning);
    if (value != std::floor(value) || std::fabs(value) > 1e15)
        refuse(where(place, bytes), fmt::format("{}, expected a whole number: {}", value, meaning));
    return static_cast<std::int64_t>(value);
}

}  // namespace cornerturn::ceos
