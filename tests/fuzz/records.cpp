// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/records.h"

#include <string_view>
#include <utility>

namespace cornerturn::fuzz {
namespace {

std::uint64_t number_at(const std::string& bytes, std::uint64_t at, std::uint32_t count) {
    std::uint64_t number = 0;
    for (std::uint32_t i = 0; i < count; ++i)
        number = number << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(at + i)]);
    return number;
}

/// Places behind the beginning of a record, and sizes.
using Places = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

void add_fields(Record& record, const Places& places, Field::Kind kind) {
    for (const auto& [place, bytes] : places)
        if (record.first + place + bytes <= record.last) record.fields.push_back({kind, record.first + place, bytes});
}

/// S1-IF-ASD-PL-0007, section 3.2: length, time, marker, receiver, sub-commutated word, counter, code, decimation,
/// pulse, rank, interval, window, polarization, signal, swath, quads.
std::vector<Record> packets_of(const std::string& bytes) {
    static const Places header{{4, 2},  {6, 4},  {10, 2}, {12, 4}, {21, 1}, {26, 1}, {27, 2},
                               {33, 4}, {37, 1}, {40, 1}, {42, 2}, {44, 2}, {46, 3}, {49, 1},
                               {50, 3}, {53, 3}, {59, 1}, {63, 1}, {64, 1}, {65, 2}};
    std::vector<Record> records;
    for (std::uint64_t at = 0; at + 68 <= bytes.size();) {
        records.push_back({at, at + number_at(bytes, at + 4, 2) + 7, {}});
        add_fields(records.back(), header, Field::Kind::integer);
        at = records.back().last;
    }
    return records;
}

/// The heads of records, of the descriptors and of a leader's records the numbers that readers take, of lines the day,
/// the time, the PRF, the range and the finer time.
std::vector<Record> ceos_records_of(const std::string& bytes) {
    static const Places head{{0, 4}, {4, 4}, {8, 4}}, line{{36, 4}, {40, 4}, {44, 4}, {56, 4}, {116, 4}, {296, 3}};
    static const Places descriptor{{180, 6}, {216, 4}, {248, 8}, {276, 4}, {280, 8}},
        summary{{396, 16}, {500, 16}, {550, 16}, {710, 16}, {742, 16}, {818, 16}, {834, 16}},
        vectors{{140, 4},  {144, 4},  {148, 4},  {152, 4},  {160, 22}, {182, 22}, {386, 22},
                {408, 22}, {452, 22}, {474, 22}, {518, 22}, {540, 22}, {650, 22}, {716, 22}};
    std::vector<Record> records;
    for (std::uint64_t at = 0; at + 12 <= bytes.size();) {
        records.push_back({at, at + number_at(bytes, at + 8, 4), {}});
        Record& record = records.back();
        add_fields(record, head, Field::Kind::integer);
        switch (number_at(bytes, at + 4, 4)) {
            case 0x320A1214: add_fields(record, line, Field::Kind::integer); break;
            case 0x32C01212: add_fields(record, descriptor, Field::Kind::text); break;
            case 0x120A1214: add_fields(record, summary, Field::Kind::text); break;
            case 0x121E1214: add_fields(record, vectors, Field::Kind::text); break;
            default: break;
        }
        if (record.last <= at) break;
        at = record.last;
    }
    return records;
}

std::uint64_t told(const std::string& bytes, const std::string& key) {
    const std::size_t at = bytes.find(key + " := ");
    return at == std::string::npos ? 0 : std::stoull(bytes.substr(at + key.size() + 4, 20));
}

/// Texts of elements, and the words of each pulse's record.
/// Texts between the elements of XML.
void add_texts(const std::string& bytes, std::uint64_t first, std::uint64_t last, Record& record) {
    for (std::size_t at = bytes.find('>', first); at < last; at = bytes.find('>', at + 1)) {
        const std::size_t end = bytes.find('<', at);
        if (end != std::string::npos && end > at + 1)
            record.fields.push_back({Field::Kind::text, at + 1, static_cast<std::uint32_t>(end - at - 1)});
    }
}

/// Of one image and one piece of XML (MIL-STD-2500C): lengths and numbers of the file header, shape and storage of the
/// image, the header of the XML and its texts.
std::vector<Record> nitf_records_of(const std::string& bytes) {
    static const Places file{{342, 12}, {354, 6}, {360, 3}, {363, 6}, {369, 10}, {379, 3},
                             {382, 3},  {385, 3}, {388, 3}, {391, 4}, {395, 9}},
        image{{0, 2},   {2, 10},  {290, 1}, {333, 8}, {341, 8}, {349, 3}, {368, 2}, {432, 1},
              {433, 2}, {435, 1}, {438, 6}, {450, 6}, {461, 1}, {463, 4}, {467, 4}},
        data{{0, 2}, {2, 25}, {196, 4}};
    const std::uint64_t header = std::stoull(bytes.substr(354, 6)),
                        samples = header + std::stoull(bytes.substr(363, 6)),
                        xml_header = samples + std::stoull(bytes.substr(369, 10)),
                        xml = xml_header + std::stoull(bytes.substr(391, 4));
    std::vector<Record> records{{0, header, {}}, {header, samples, {}}, {xml_header, xml, {}}, {xml, bytes.size(), {}}};
    add_fields(records[0], file, Field::Kind::text);
    add_fields(records[1], image, Field::Kind::text);
    add_fields(records[2], data, Field::Kind::text);
    add_texts(bytes, xml, bytes.size(), records[3]);
    return records;
}

std::vector<Record> cphd_records_of(const std::string& bytes) {
    constexpr std::uint32_t word = 8, words = 30;
    const std::uint64_t xml = told(bytes, "XML_BLOCK_BYTE_OFFSET"), xml_end = xml + told(bytes, "XML_BLOCK_SIZE"),
                        pulses = told(bytes, "PVP_BLOCK_BYTE_OFFSET"),
                        pulses_end = pulses + told(bytes, "PVP_BLOCK_SIZE");
    std::vector<Record> records{{0, xml, {}}, {xml, xml_end, {}}};
    for (std::size_t at = bytes.find(" := "); at < xml; at = bytes.find(" := ", at + 1))
        records[0].fields.push_back(
            {Field::Kind::text, at + 4, static_cast<std::uint32_t>(bytes.find('\n', at) - at - 4)});
    add_texts(bytes, xml, xml_end, records[1]);
    for (std::uint64_t at = pulses; at + words * word <= pulses_end; at += words * word) {
        records.push_back({at, at + words * word, {}});
        for (std::uint32_t i = 0; i < words; ++i)
            records.back().fields.push_back({Field::Kind::real, at + i * word, word});
    }
    return records;
}

/// Classic TIFF, least byte first (TIFF 6.0, section 2): of each directory the number of its entries, of each entry
/// tag, type, count and value or place.
std::vector<Record> tiff_records_of(const std::string& bytes) {
    const auto little = [&](std::uint64_t at, std::uint32_t count) {
        std::uint64_t number = 0;
        for (std::uint32_t i = count; i-- > 0;)
            number = number << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(at + i)]);
        return number;
    };
    constexpr std::uint64_t entry_bytes = 12;
    static const Places entry{{0, 2}, {2, 2}, {4, 4}, {8, 4}};
    std::vector<Record> records{{4, 8, {{Field::Kind::little, 4, 4}}}};
    for (std::uint64_t at = little(4, 4); at != 0 && at + 2 <= bytes.size() && records.size() < 1000;) {
        const std::uint64_t first = at + 2, last = first + little(at, 2) * entry_bytes;
        if (last + 4 > bytes.size()) break;
        records.push_back({at, first, {{Field::Kind::little, at, 2}}});
        for (std::uint64_t of = first; of < last; of += entry_bytes) {
            records.push_back({of, of + entry_bytes, {}});
            add_fields(records.back(), entry, Field::Kind::little);
        }
        records.push_back({last, last + 4, {{Field::Kind::little, last, 4}}});
        at = little(last, 4);
    }
    return records;
}

}  // namespace

std::vector<Record> records_of(const std::string& bytes) {
    constexpr std::string_view sync = "\x35\x2E\xF8\x53";
    if (bytes.starts_with("CPHD/")) return cphd_records_of(bytes);
    if (bytes.starts_with("NITF")) return nitf_records_of(bytes);
    if (bytes.size() < 68) return {};
    if (bytes.starts_with(std::string_view("II*\0", 4))) return tiff_records_of(bytes);
    if (std::string_view(bytes).substr(12, 4) == sync) return packets_of(bytes);
    const std::uint64_t kind = number_at(bytes, 4, 4);
    return kind == 0x32C01212 || kind == 0x0BC01212 ? ceos_records_of(bytes) : std::vector<Record>{};
}

}  // namespace cornerturn::fuzz
