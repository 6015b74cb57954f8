// SPDX-License-Identifier: Apache-2.0
#include "tests/support/zip_file.h"

#include <libdeflate.h>

namespace cornerturn {
namespace {

/// The least byte first.
std::string number(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(i < 8 ? value >> 8 * i & 0xff : 0);
    return text;
}

std::string deflated(const std::string& contents) {
    libdeflate_compressor* const compressor = libdeflate_alloc_compressor(6);
    std::string packed(libdeflate_deflate_compress_bound(compressor, contents.size()), '\0');
    packed.resize(
        libdeflate_deflate_compress(compressor, contents.data(), contents.size(), packed.data(), packed.size()));
    libdeflate_free_compressor(compressor);
    return packed;
}

}  // namespace

std::string zip_file(const std::vector<ZipMember>& members, bool large) {
    std::string file, directory;
    for (const ZipMember& member : members) {
        const std::string packed = member.deflated ? deflated(member.contents) : member.contents;
        const std::uint32_t checksum =
            libdeflate_crc32(0, member.contents.data(), member.contents.size()) ^ member.checksum_changed_by;
        const int method = member.method >= 0 ? member.method : member.deflated ? 8 : 0;
        const std::string more = large ? number(1, 2) + number(24, 2) + number(member.contents.size(), 8) +
                                             number(packed.size(), 8) + number(file.size(), 8)
                                       : std::string();
        const std::uint64_t elsewhere = 0xffffffff;
        const std::string like = number(20, 2) + number(static_cast<std::uint64_t>(member.flags), 2) +
                                 number(static_cast<std::uint64_t>(method), 2) + number(0, 4) + number(checksum, 4) +
                                 number(large ? elsewhere : packed.size(), 4) +
                                 number(large ? elsewhere : member.contents.size(), 4) + number(member.name.size(), 2);
        directory += "PK\1\2" + number(20, 2) + like + number(more.size(), 2) + number(0, 10) +
                     number(large ? elsewhere : file.size(), 4) + member.name + more;
        file += "PK\3\4" + like + number(0, 2) + member.name + packed;
    }
    const std::uint64_t first = file.size();
    file += directory;
    if (large) {
        const std::uint64_t at = file.size();
        file += "PK\6\6" + number(44, 8) + number(45, 4) + number(0, 8) + number(members.size(), 8) +
                number(members.size(), 8) + number(directory.size(), 8) + number(first, 8);
        file += "PK\6\7" + number(0, 4) + number(at, 8) + number(1, 4);
    }
    const std::uint64_t elsewhere = 0xffffffff;
    return file + "PK\5\6" + number(0, 4) + number(large ? 0xffff : members.size(), 2) +
           number(large ? 0xffff : members.size(), 2) + number(large ? elsewhere : directory.size(), 4) +
           number(large ? elsewhere : first, 4) + number(7, 2) + "comment";
}

}  // namespace cornerturn
