// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/record_mutations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

namespace cornerturn::fuzz {
namespace {

void put(std::string& bytes, const Field& field, std::uint64_t value) {
    const bool little = field.kind == Field::Kind::little;
    for (std::uint32_t i = field.bytes; i-- > 0; value >>= 8)
        bytes[static_cast<std::size_t>(field.at + (little ? field.bytes - 1 - i : i))] =
            static_cast<char>(value & 0xff);
}

std::uint64_t value_of(const std::string& bytes, const Field& field) {
    const bool little = field.kind == Field::Kind::little;
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < field.bytes; ++i)
        value = value << 8 | static_cast<unsigned char>(
                                 bytes[static_cast<std::size_t>(field.at + (little ? field.bytes - 1 - i : i))]);
    return value;
}

/// Right-justified where it was, blanks about it.
std::string fitted(std::string_view word, const std::string& before) {
    std::string text(word.substr(0, before.size()));
    const std::string blanks(before.size() - text.size(), ' ');
    return !before.empty() && before.front() == ' ' ? blanks + text : text + blanks;
}

std::string other_text(const std::string& before, Chance& chance) {
    constexpr std::array<std::string_view, 16> words{"",         "0",       "-1",    "1",      "nan",  "inf",
                                                     "1e400",    "-1e-320", "1e9",   "999999", "1e17", "+.5",
                                                     "99999999", "<x>",     "&amp;", "\xff"};
    if (chance.once_in(3)) {
        std::string text = before;
        text[chance.below(text.size())] = "0123456789-+.eE <&"[chance.below(18)];
        return text;
    }
    return fitted(chance.one_of(words), before);
}

std::uint64_t other_number(std::uint64_t before, std::uint32_t bytes, Chance& chance) {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * bytes);
    const std::array<std::uint64_t, 9> numbers{
        0,          1,          all,
        all >> 1,   before + 1, before - 1,
        2 * before, before / 2, before ^ std::uint64_t{1} << chance.below(8 * bytes)};
    return chance.one_of(numbers) & all;
}

std::uint64_t other_real(std::uint64_t before, Chance& chance) {
    constexpr auto limits = std::numeric_limits<double>();
    const double was = std::bit_cast<double>(before);
    const std::array numbers{
        0.0,       -1.0, limits.quiet_NaN(), limits.infinity(), -limits.infinity(), 1e300, 1e-310, -was, was * 1.001,
        was + 1e6, 1e17};
    if (chance.once_in(6)) return before ^ std::uint64_t{1} << chance.below(64);
    return std::bit_cast<std::uint64_t>(chance.one_of(numbers));
}

std::string change_field(std::string& bytes, const Field& field, Chance& chance) {
    if (field.kind == Field::Kind::text) {
        const std::string before = bytes.substr(static_cast<std::size_t>(field.at), field.bytes),
                          text = other_text(before, chance);
        bytes.replace(static_cast<std::size_t>(field.at), field.bytes, text);
        return fmt::format("\"{}\" at {} is \"{}\"", before, field.at, text);
    }
    const std::uint64_t before = value_of(bytes, field), now = field.kind == Field::Kind::real
                                                                   ? other_real(before, chance)
                                                                   : other_number(before, field.bytes, chance);
    put(bytes, field, now);
    return fmt::format("{:#x} at {} is {:#x}", before, field.at, now);
}

/// In all records of the same kind, as if it were meant.
std::string change_all(std::string& bytes, const std::vector<Record>& records, const Record& like, Chance& chance) {
    const std::size_t which = chance.below(like.fields.size());
    const Field& field = like.fields[which];
    std::string done = "in all records " + change_field(bytes, field, chance);
    const std::string now = bytes.substr(static_cast<std::size_t>(field.at), field.bytes);
    for (const Record& record : records)
        if (record.fields.size() == like.fields.size() && record.fields[which].bytes == field.bytes)
            bytes.replace(static_cast<std::size_t>(record.fields[which].at), field.bytes, now);
    return done;
}

std::string move_record(std::string& bytes, const Record& record, const Record& other, Chance& chance) {
    const auto first = static_cast<std::size_t>(record.first), size = static_cast<std::size_t>(record.last) - first;
    const std::string whole = bytes.substr(first, size);
    switch (chance.below(4)) {
        case 0: bytes.erase(first, size); return fmt::format("the record at {} is lost", first);
        case 1:
            bytes.insert(static_cast<std::size_t>(other.first), whole);
            return fmt::format("the record at {} comes again at {}", first, other.first);
        case 2: {
            const std::size_t less = std::min<std::size_t>(1 + chance.below(80), size);
            bytes.erase(first + size - less, less);
            return fmt::format("the record at {} ends {} bytes too early", first, less);
        }
        default:
            bytes.replace(static_cast<std::size_t>(other.first), std::min<std::size_t>(size, other.last - other.first),
                          whole.substr(0, std::min<std::size_t>(size, other.last - other.first)));
            return fmt::format("the record at {} lies over that at {}", first, other.first);
    }
}

}  // namespace

std::string damage_record(std::string& bytes, const std::vector<Record>& records, Chance& chance) {
    // A file has few records of some kinds: the first ones are taken as often as all others.
    const auto any = [&]() -> const Record& {
        return chance.once_in(2) ? records[chance.below(std::min<std::size_t>(4, records.size()))]
                                 : chance.one_of(records);
    };
    const Record& record = any();
    if (record.fields.empty() || chance.once_in(6)) return move_record(bytes, record, any(), chance);
    if (chance.once_in(3)) return change_all(bytes, records, record, chance);
    return change_field(bytes, chance.one_of(record.fields), chance);
}

}  // namespace cornerturn::fuzz
