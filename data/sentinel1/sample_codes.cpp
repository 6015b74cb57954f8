// SPDX-License-Identifier: Apache-2.0
#include "data/sentinel1/sample_codes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

namespace cornerturn::sentinel1 {
namespace {

constexpr std::int64_t block_quads = 128;
constexpr std::size_t most_levels = 16;

/// Levels of a block of small scale are whole numbers but for the highest, those of others the mean of what is cut to
/// them times the scale (tables 5.2-1 and 5.2-2).
struct Levels {
    std::vector<double> highest;     ///< of the scales 0, 1, ... that count as small
    std::vector<double> normalized;  ///< one for each level
};
const std::array<Levels, 3> baq_levels{
    {{{3, 3, 3.12, 3.55}, {0.2490, 0.7681, 1.3655, 2.1864}},
     {{7, 7, 7, 7.17, 7.4, 7.76}, {0.1290, 0.3900, 0.6601, 0.9471, 1.2623, 1.6261, 2.0793, 2.7467}},
     {{15, 15, 15, 15, 15, 15, 15.44, 15.56, 16.11, 16.38, 16.65},
      {0.0660, 0.1985, 0.3320, 0.4677, 0.6061, 0.7487, 0.8964, 1.0510, 1.2143, 1.3896, 1.5800, 1.7914, 2.0329, 2.3234,
       2.6971, 3.2692}}}};
const std::array<Levels, 5> fdbaq_levels{
    {{{3, 3, 3.16, 3.53}, {0.3637, 1.0915, 1.8208, 2.6406}},
     {{4, 4, 4.08, 4.37}, {0.3042, 0.9127, 1.5216, 2.1313, 2.8426}},
     {{6, 6, 6, 6.15, 6.5, 6.88}, {0.2305, 0.6916, 1.1528, 1.6140, 2.0754, 2.5369, 3.1191}},
     {{9, 9, 9, 9, 9.36, 9.5, 10.1}, {0.1702, 0.5107, 0.8511, 1.1916, 1.5321, 1.8726, 2.2131, 2.5536, 2.8942, 3.3744}},
     {{15, 15, 15, 15, 15, 15, 15.22, 15.5, 16.05},
      {0.1130, 0.3389, 0.5649, 0.7908, 1.0167, 1.2428, 1.4687, 1.6947, 1.9206, 2.1466, 2.3725, 2.5985, 2.8244, 3.0504,
       3.2764, 3.6623}}}};
/// Codes of the levels 0, 1, ... behind the sign (section 4.4).
constexpr std::array<std::array<std::string_view, most_levels>, 5> fdbaq_codes{
    {{"0", "10", "110", "111"},
     {"0", "10", "110", "1110", "1111"},
     {"0", "10", "110", "1110", "11110", "111110", "111111"},
     {"00", "01", "10", "110", "1110", "11110", "111110", "1111110", "11111110", "11111111"},
     {"00", "010", "011", "100", "101", "1100", "1101", "1110", "11110", "111110", "11111100", "11111101", "111111100",
      "111111101", "111111110", "111111111"}}};
/// Scales by a block's index (table 5.2-3).
constexpr std::array<double, 256> scales{
    0,      0.63,   1.25,   1.88,   2.51,   3.13,   3.76,   4.39,   5.01,   5.64,   6.27,   6.89,   7.52,   8.15,
    8.77,   9.4,    10.03,  10.65,  11.28,  11.91,  12.53,  13.16,  13.79,  14.41,  15.04,  15.67,  16.29,  16.92,
    17.55,  18.17,  18.8,   19.43,  20.05,  20.68,  21.31,  21.93,  22.56,  23.19,  23.81,  24.44,  25.07,  25.69,
    26.32,  26.95,  27.57,  28.2,   28.83,  29.45,  30.08,  30.71,  31.33,  31.96,  32.59,  33.21,  33.84,  34.47,
    35.09,  35.72,  36.35,  36.97,  37.6,   38.23,  38.85,  39.48,  40.11,  40.73,  41.36,  41.99,  42.61,  43.24,
    43.87,  44.49,  45.12,  45.75,  46.37,  47,     47.63,  48.25,  48.88,  49.51,  50.13,  50.76,  51.39,  52.01,
    52.64,  53.27,  53.89,  54.52,  55.15,  55.77,  56.4,   57.03,  57.65,  58.28,  58.91,  59.53,  60.16,  60.79,
    61.41,  62.04,  62.98,  64.24,  65.49,  66.74,  68,     69.25,  70.5,   71.76,  73.01,  74.26,  75.52,  76.77,
    78.02,  79.28,  80.53,  81.78,  83.04,  84.29,  85.54,  86.8,   88.05,  89.3,   90.56,  91.81,  93.06,  94.32,
    95.57,  96.82,  98.08,  99.33,  100.58, 101.84, 103.09, 104.34, 105.6,  106.85, 108.1,  109.35, 110.61, 111.86,
    113.11, 114.37, 115.62, 116.87, 118.13, 119.38, 120.63, 121.89, 123.14, 124.39, 125.65, 126.9,  128.15, 129.41,
    130.66, 131.91, 133.17, 134.42, 135.67, 136.93, 138.18, 139.43, 140.69, 141.94, 143.19, 144.45, 145.7,  146.95,
    148.21, 149.46, 150.71, 151.97, 153.22, 154.47, 155.73, 156.98, 158.23, 159.49, 160.74, 161.99, 163.25, 164.5,
    165.75, 167.01, 168.26, 169.51, 170.77, 172.02, 173.27, 174.53, 175.78, 177.03, 178.29, 179.54, 180.79, 182.05,
    183.3,  184.55, 185.81, 187.06, 188.31, 189.57, 190.82, 192.07, 193.33, 194.58, 195.83, 197.09, 198.34, 199.59,
    200.85, 202.1,  203.35, 204.61, 205.86, 207.11, 208.37, 209.62, 210.87, 212.13, 213.38, 214.63, 215.89, 217.14,
    218.39, 219.65, 220.9,  222.15, 223.41, 224.66, 225.91, 227.17, 228.42, 229.67, 230.93, 232.18, 233.43, 234.69,
    235.94, 237.19, 238.45, 239.7,  240.95, 242.21, 243.46, 244.71, 245.97, 247.22, 248.47, 249.73, 250.98, 252.23,
    253.49, 254.74, 255.99, 255.99};

/// Values of the levels and, behind them, of their negatives.
using Values = std::array<float, 2 * most_levels>;
struct ValuesOfScales {
    std::array<Values, 256> of;
    explicit ValuesOfScales(const Levels& levels) {
        const std::size_t count = levels.normalized.size();
        for (std::size_t scale = 0; scale < 256; ++scale)
            for (std::size_t level = 0; level < count; ++level) {
                const bool small = scale < levels.highest.size(), top = level + 1 == count;
                const double value = !small ? levels.normalized[level] * scales[scale]
                                     : top  ? levels.highest[scale]
                                            : static_cast<double>(level);
                of[scale][level] = static_cast<float>(value);
                of[scale][most_levels + level] = -of[scale][level];
            }
    }
};

/// By the next bits: the value whose sign and code they begin with, and the one behind it, where that ends within them,
/// too; and how many bits the first is long and all that is known.
struct CodeTable {
    static constexpr int bits = 12, longest = 10;
    struct Entry {
        std::array<std::uint8_t, 2> value{};
        std::uint8_t first_length = 0, length = 0;
        int count() const { return length > first_length ? 2 : 1; }
    };
    std::array<Entry, 1 << bits> entry{};
    explicit CodeTable(std::span<const std::string_view> codes) {
        for (std::size_t level = 0; level < codes.size() && !codes[level].empty(); ++level)
            for (unsigned sign = 0; sign < 2; ++sign) {
                unsigned code = sign;
                for (const char bit : codes[level]) code = 2 * code + (bit == '1' ? 1u : 0u);
                const auto length = static_cast<std::uint8_t>(1 + codes[level].size());
                std::fill_n(entry.begin() + (code << (bits - length)), 1 << (bits - length),
                            Entry{{static_cast<std::uint8_t>(sign * most_levels + level), 0}, length, length});
            }
        const auto singles = entry;
        for (std::size_t at = 0; at < entry.size(); ++at) {
            const std::uint8_t first = singles[at].length;
            const Entry& next = singles[at << first & (entry.size() - 1)];
            if (first + next.length > bits) continue;
            entry[at].value[1] = next.value[0];
            entry[at].length = static_cast<std::uint8_t>(first + next.length);
        }
    }
};

/// Bits from the most significant on. Behind the end come zeros, which `ran_out` tells.
class Bits {
public:
    explicit Bits(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::uint32_t next(int count) {
        const std::uint32_t value = peek(count);
        skip(count);
        return value;
    }
    /// At most 32.
    std::uint32_t peek(int count) {
        if (held_ < count) fill();
        return static_cast<std::uint32_t>(word_ >> (64 - count));
    }
    void skip(int count) {
        word_ <<= count;
        held_ -= count;
        taken_ += static_cast<std::size_t>(count);
    }
    /// Each of the four parts of a packet fills whole words of 16 bits.
    void end_word() {
        const std::size_t rest = (16 - taken_ % 16) % 16;
        if (rest == 0) return;
        peek(static_cast<int>(rest));
        skip(static_cast<int>(rest));
    }
    bool ran_out() const { return taken_ > 8 * bytes_.size(); }

    /// So many values by a table, and room for one more.
    void values(const CodeTable& table, std::int64_t count, std::uint8_t* to) {
        constexpr int at_once = 56 / CodeTable::bits;
        const std::uint8_t* const end = to + count;
        while (end - to >= 2 * at_once) {
            if (held_ < at_once * CodeTable::bits) fill();
            for (int i = 0; i < at_once; ++i) {
                const CodeTable::Entry entry = table.entry[word_ >> (64 - CodeTable::bits)];
                to[0] = entry.value[0];
                to[1] = entry.value[1];
                to += entry.count();
                skip(entry.length);
            }
        }
        while (to < end) {
            const CodeTable::Entry entry = table.entry[peek(CodeTable::bits)];
            *to++ = entry.value[0];
            skip(entry.first_length);
        }
    }

private:
    void fill() {
        if (at_ + 8 <= bytes_.size()) {
            std::uint64_t word;
            std::memcpy(&word, bytes_.data() + at_, 8);
            word_ |= __builtin_bswap64(word) >> held_;
            const int bytes = (63 - held_) / 8;
            at_ += static_cast<std::size_t>(bytes);
            held_ += 8 * bytes;
            // Bits of a byte that is not counted yet would be taken twice.
            word_ &= held_ < 64 ? ~(~std::uint64_t{0} >> held_) : ~std::uint64_t{0};
            return;
        }
        for (; held_ <= 56; held_ += 8, ++at_)
            if (at_ < bytes_.size()) word_ |= std::to_integer<std::uint64_t>(bytes_[at_]) << (56 - held_);
    }

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0, taken_ = 0;  // bytes, bits
    std::uint64_t word_ = 0;
    int held_ = 0;
};

template <class Table, class Make>
std::vector<Table> made_of(const Make& levels) {
    std::vector<Table> tables;
    for (const auto& one : levels) tables.emplace_back(one);
    return tables;
}

/// Where the numbers of a part of a packet go: of even or odd samples, real or imaginary.
struct Part {
    float* to;
    std::int64_t quads;
    float& at(std::int64_t quad) const { return to[4 * quad]; }
};

/// Reads the four parts, each block by block: `begin(part, block)` what stands before a block, `read(part, block,
/// first, last)` its numbers.
template <class Block>
bool for_all_parts(Bits& bits, std::int64_t quads, std::complex<float>* to, const Block& read_block) {
    auto* numbers = reinterpret_cast<float*>(to);
    // Real parts of even and odd samples, then imaginary ones.
    const std::array<float*, 4> first{numbers, numbers + 2, numbers + 1, numbers + 3};
    for (std::size_t part = 0; part < 4; ++part) {
        for (std::int64_t at = 0, block = 0; at < quads; at += block_quads, ++block)
            if (!read_block(part, static_cast<std::size_t>(block),
                            Part{first[part] + 4 * at, std::min(block_quads, quads - at)}))
                return false;
        bits.end_word();
    }
    return !bits.ran_out();
}

bool decode_plain(Bits& bits, std::int64_t quads, std::complex<float>* to) {
    return for_all_parts(bits, quads, to, [&](std::size_t, std::size_t, const Part& part) {
        for (std::int64_t i = 0; i < part.quads; ++i) {
            const std::uint32_t code = bits.next(10);
            const auto size = static_cast<float>(code & 0x1ff);
            part.at(i) = (code & 0x200) != 0 ? -size : size;
        }
        return true;
    });
}

/// Scales stand before the blocks of the third part: numbers of the first two wait for them.
bool decode_baq(Bits& bits, int bits_a_number, std::int64_t quads, std::complex<float>* to) {
    static const auto tables = made_of<ValuesOfScales>(baq_levels);
    const ValuesOfScales& values = tables[static_cast<std::size_t>(bits_a_number - 3)];
    const std::uint32_t sign = 1u << (bits_a_number - 1);
    const auto read = [&] {
        const std::uint32_t code = bits.next(bits_a_number);
        return (code & sign) != 0 ? most_levels + (code & (sign - 1)) : code;
    };
    std::vector<std::uint8_t> scale;
    const bool whole = for_all_parts(bits, quads, to, [&](std::size_t number, std::size_t block, const Part& part) {
        if (number == 2) scale.push_back(static_cast<std::uint8_t>(bits.next(8)));
        for (std::int64_t i = 0; i < part.quads; ++i) {
            const auto value = read();
            part.at(i) = number < 2 ? static_cast<float>(value) : values.of[scale[block]][value];
        }
        return true;
    });
    for (std::int64_t quad = 0; whole && quad < quads; ++quad)
        for (std::complex<float>* sample = to + 2 * quad; sample < to + 2 * quad + 2; ++sample)
            sample->real(values.of[scale[static_cast<std::size_t>(quad / block_quads)]]
                                  [static_cast<std::size_t>(sample->real())]);
    return whole;
}

/// Which code a block has stands before its numbers of the first part, its scale before those of the third.
bool decode_fdbaq(Bits& bits, std::int64_t quads, std::complex<float>* to) {
    static const auto tables = made_of<ValuesOfScales>(fdbaq_levels);
    static const auto codes = made_of<CodeTable>(fdbaq_codes);
    const auto blocks = static_cast<std::size_t>((quads + block_quads - 1) / block_quads);
    std::vector<std::uint8_t> code(blocks), scale(blocks), values(static_cast<std::size_t>(4 * quads + 1));
    for (std::int64_t part = 0; part < 4; ++part) {
        for (std::size_t block = 0; block < blocks; ++block) {
            if (part == 0) code[block] = static_cast<std::uint8_t>(bits.next(3));
            if (part == 2) scale[block] = static_cast<std::uint8_t>(bits.next(8));
            if (code[block] >= codes.size() || bits.ran_out()) return false;
            const std::int64_t first = static_cast<std::int64_t>(block) * block_quads;
            bits.values(codes[code[block]], std::min(block_quads, quads - first), values.data() + part * quads + first);
        }
        bits.end_word();
    }
    if (bits.ran_out()) return false;
    const std::uint8_t *even_re = values.data(), *odd_re = even_re + quads, *even_im = odd_re + quads,
                       *odd_im = even_im + quads;
    auto* const numbers = reinterpret_cast<float*>(to);
    for (std::size_t block = 0; block < blocks; ++block) {
        const float* const of = tables[code[block]].of[scale[block]].data();
        const std::int64_t first = static_cast<std::int64_t>(block) * block_quads,
                           last = std::min(first + block_quads, quads);
        for (std::int64_t quad = first; quad < last; ++quad) {
            numbers[4 * quad] = of[even_re[quad]];
            numbers[4 * quad + 1] = of[even_im[quad]];
            numbers[4 * quad + 2] = of[odd_re[quad]];
            numbers[4 * quad + 3] = of[odd_im[quad]];
        }
    }
    return true;
}

}  // namespace

bool is_sample_code(unsigned number) {
    return number == 0 || (number >= 3 && number <= 5) || (number >= 12 && number <= 14);
}

bool decode_samples(std::span<const std::byte> user_data, SampleCode code, std::int64_t quads,
                    std::complex<float>* to) {
    Bits bits(user_data);
    switch (code) {
        case SampleCode::plain: return decode_plain(bits, quads, to);
        case SampleCode::baq3:
        case SampleCode::baq4:
        case SampleCode::baq5: return decode_baq(bits, static_cast<int>(code), quads, to);
        case SampleCode::fdbaq0:
        case SampleCode::fdbaq1:
        case SampleCode::fdbaq2: return decode_fdbaq(bits, quads, to);
    }
    return false;
}

}  // namespace cornerturn::sentinel1
