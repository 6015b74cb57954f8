// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "tests/fuzz/chance.h"
#include "tests/fuzz/object_mutations.h"
#include "tests/fuzz/record_mutations.h"

namespace cornerturn::fuzz {
namespace {

std::string bytes_in(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Four of five times in a header.
std::size_t place_in(const GoodFile& good, const std::string& bytes, Chance& chance) {
    if (good.headers.empty() || chance.once_in(5)) return chance.below(bytes.size());
    std::uint64_t all = 0;
    for (const auto& [first, last] : good.headers) all += last - first;
    std::uint64_t at = chance.below(all);
    for (const auto& [first, last] : good.headers) {
        if (at < last - first) return std::min<std::size_t>(first + at, bytes.size() - 1);
        at -= last - first;
    }
    return 0;
}

std::string flip_bits(std::string& bytes, std::size_t at, Chance& chance) {
    const std::size_t count = 1 + chance.below(4);
    for (std::size_t i = 0; i < count && at + i < bytes.size(); ++i)
        bytes[at + i] = static_cast<char>(bytes[at + i] ^ (1 << chance.below(8)));
    return fmt::format("{} bits flipped at {}", count, at);
}

/// 1, 2, 4 or 8 bytes become zero, the greatest or least number, or a small one.
std::string set_word(std::string& bytes, std::size_t at, Chance& chance) {
    const std::size_t width = std::min<std::size_t>(std::size_t{1} << chance.below(4), bytes.size() - at);
    const std::array<std::uint64_t, 7> words{
        0, ~std::uint64_t{0}, ~std::uint64_t{0} >> (65 - 8 * width),      std::uint64_t{1} << (8 * width - 1),
        1, chance.below(300), std::uint64_t{1} << chance.below(8 * width)};
    const std::uint64_t word = chance.one_of(words);
    std::memcpy(bytes.data() + at, &word, width);
    return fmt::format("{} bytes at {} are {:#x}", width, at, word);
}

std::string cut_off(std::string& bytes, std::size_t at, Chance&) {
    bytes.resize(at);
    return fmt::format("cut off after {} bytes", at);
}

std::string swap_blocks(std::string& bytes, std::size_t at, Chance& chance) {
    const std::size_t other = chance.below(bytes.size()), least = std::min(at, other), greatest = std::max(at, other);
    const std::size_t size = std::min({std::size_t{8} << chance.below(8), greatest - least, bytes.size() - greatest});
    std::swap_ranges(bytes.data() + least, bytes.data() + least + size, bytes.data() + greatest);
    return fmt::format("{} bytes at {} and {} swapped", size, least, greatest);
}

std::string fill_block(std::string& bytes, std::size_t at, Chance& chance) {
    const std::size_t size = std::min(std::size_t{16} << chance.below(8), bytes.size() - at);
    std::fill_n(bytes.data() + at, size, chance.once_in(2) ? '\0' : '\xff');
    return fmt::format("{} bytes at {} filled", size, at);
}

std::string damage_bytes(const GoodFile& good, std::string& bytes, Chance& chance) {
    constexpr std::array ways{flip_bits, flip_bits, set_word, set_word, set_word, cut_off, swap_blocks, fill_block};
    return bytes.empty() ? "empty" : chance.one_of(ways)(bytes, place_in(good, bytes, chance), chance);
}

/// A number, a word or a line of a text gives way to something else.
std::string damage_text(std::string& text, Chance& chance) {
    constexpr std::array<std::string_view, 21> words{"0",      "-1",
                                                     "1e400",  "nan",
                                                     ".inf",   "9223372036854775808",
                                                     "1e-320", "-9223372036854775809",
                                                     "[",      "]",
                                                     "{a: b}", "&a [*a]",
                                                     "*a",     "",
                                                     "\t",     "!!binary x",
                                                     "\"",     "\xff",
                                                     "~",      "true",
                                                     "- - - -"};
    const std::size_t at = chance.below(text.size());
    const std::size_t word = text.find_first_of(chance.once_in(3) ? "abcdefghijklmnopqrstuvwxyz" : "0123456789-", at);
    const std::size_t first = word == std::string::npos ? at : word;
    const std::size_t last = std::min(text.find_first_of(chance.once_in(4) ? "\n" : " ,}]:\n", first), text.size());
    const std::string_view by = chance.one_of(words);
    text.replace(first, last - first, by);
    return fmt::format("'{}' in place of characters {} to {}", by, first, last);
}

}  // namespace

GoodFile look_at(const std::string& path) {
    GoodFile good;
    good.path = path;
    const std::string bytes = bytes_in(path);
    good.is_hdf5 = bytes.starts_with("\x89HDF");
    good.is_text = path.ends_with(".yaml") || path.ends_with(".csv") || path.ends_with(".hdr");
    if (!good.is_hdf5 && !good.is_text) good.records = records_of(bytes);
    if (good.is_hdf5) good.headers = headers_of(path, bytes.size());
    return good;
}

std::string mutate(const GoodFile& good, const std::string& to, std::uint64_t number, std::uint64_t seed) {
    Chance chance(number * 0x9e3779b97f4a7c15u + seed);
    std::filesystem::copy_file(good.path, to, std::filesystem::copy_options::overwrite_existing);
    std::string done;
    if (good.is_hdf5 && number % 2 == 0) {
        done = damage_object(to, number / 2, chance);
        if (!chance.once_in(8)) return done;
        done += ", ";
    }
    std::string bytes = bytes_in(to);
    if (!good.records.empty() && number % 4 != 3) {
        done = damage_record(bytes, good.records, chance);
        if (!chance.once_in(8)) {
            write(to, bytes);
            return done;
        }
        done += ", ";
    }
    const std::size_t times = chance.once_in(3) ? 2 + chance.below(6) : 1;
    for (std::size_t i = 0; i < times; ++i)
        done += (i > 0 ? ", " : "") +
                (good.is_text && !chance.once_in(4) ? damage_text(bytes, chance) : damage_bytes(good, bytes, chance));
    write(to, bytes);
    return done;
}

}  // namespace cornerturn::fuzz
