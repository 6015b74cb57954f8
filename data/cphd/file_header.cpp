// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/file_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>

#include "data/files/refusal.h"
#include "kernels/host/number_text.h"

namespace cornerturn::cphd {
namespace {

constexpr std::string_view magic = "CPHD/";
constexpr std::size_t longest_header = std::size_t{1} << 16;

using Entries = std::map<std::string, std::string, std::less<>>;

std::string text_at(const BinaryFile& file, std::uint64_t first, std::size_t most) {
    const auto there = file.bytes() > first ? file.bytes() - first : 0;
    const auto bytes = file.read(first, static_cast<std::size_t>(std::min<std::uint64_t>(most, there)));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t number(const BinaryFile& file, const Entries& entries, const std::string& key) {
    const auto found = entries.find(key);
    if (found == entries.end()) refuse(file.name(), fmt::format("its header has no {}", key));
    const auto value = number_from<std::uint64_t>(found->second);
    if (!value) refuse(file.name(), fmt::format("{} is '{}', expected a number of bytes", key, shown(found->second)));
    return *value;
}

Block block(const BinaryFile& file, const Entries& entries, const std::string& name) {
    const Block found{number(file, entries, name + "_BLOCK_BYTE_OFFSET"), number(file, entries, name + "_BLOCK_SIZE")};
    if (found.first > file.bytes() || found.bytes > file.bytes() - found.first)
        refuse(file.name(), fmt::format("its {} block has {} bytes from byte {} on, but the file has {}; is it whole?",
                                        name, found.bytes, found.first, file.bytes()));
    return found;
}

/// Blocks that lie over each other, or the header, would be read as what they are not.
void require_apart(const BinaryFile& file, std::uint64_t header_bytes, const FileHeader& header) {
    struct Named {
        const char* name;
        Block at;
    };
    std::array<Named, 4> parts{{{"header", {0, header_bytes}},
                                {"XML block", header.xml},
                                {"PVP block", header.pulses},
                                {"SIGNAL block", header.signal}}};
    std::sort(parts.begin(), parts.end(), [](const Named& a, const Named& b) { return a.at.first < b.at.first; });
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const Named &before = parts[i - 1], &part = parts[i];
        if (part.at.bytes > 0 && part.at.first < before.at.first + before.at.bytes)
            refuse(file.name(),
                   fmt::format("its {} begins at byte {}, within its {} of bytes {} to {}", part.name, part.at.first,
                               before.name, before.at.first, before.at.first + before.at.bytes));
    }
}

}  // namespace

bool is_cphd_file(const std::string& path) try {
    if (std::error_code error; std::filesystem::is_directory(path, error)) return false;
    return text_at(BinaryFile(path), 0, magic.size()) == magic;
} catch (const InputError&) {
    return false;
}

FileHeader read_file_header(const BinaryFile& file) {
    const std::string text = text_at(file, 0, longest_header);
    const std::size_t end = text.find("\f\n");
    if (!text.starts_with(magic)) refuse(file.name(), "does not begin with CPHD/, expected a CPHD file");
    if (end == std::string::npos)
        refuse(file.name(), fmt::format("its header does not end within {} bytes",
                                        std::min<std::uint64_t>(longest_header, file.bytes())));
    FileHeader header;
    Entries entries;
    for (std::size_t at = 0; at < end;) {
        const std::size_t line_end = std::min(text.find('\n', at), end);
        std::string_view line(text.data() + at, line_end - at);
        if (line.ends_with('\r')) line.remove_suffix(1);  // not the standard's
        const std::size_t separator = line.find(" := ");
        if (at == 0)
            header.version = line.substr(magic.size());
        else if (separator != std::string_view::npos)
            entries.emplace(line.substr(0, separator), line.substr(separator + 4));
        at = line_end + 1;
    }
    if (!header.version.starts_with("1.0") && !header.version.starts_with("1.1"))
        refuse(file.name(), fmt::format("is CPHD {}, expected 1.0 or 1.1", shown(header.version)));
    header.xml = block(file, entries, "XML");
    header.pulses = block(file, entries, "PVP");
    header.signal = block(file, entries, "SIGNAL");
    require_apart(file, end + 2, header);
    return header;
}

}  // namespace cornerturn::cphd
