// SPDX-License-Identifier: Apache-2.0
#include "data/zip/zip_archive.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <system_error>

#include "data/files/file_kind.h"
#include "data/files/refusal.h"
#include "data/hdf5/inflate.h"

namespace cornerturn {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t member_mark = 0x04034b50, entry_mark = 0x02014b50, end_mark = 0x06054b50,
                        large_end_mark = 0x06064b50, large_end_place_mark = 0x07064b50;
constexpr std::size_t member_header = 30, entry_header = 46, end_record = 22, large_end_record = 56,
                      large_end_place = 20;
constexpr int stored = 0, deflated = 8;

std::uint64_t little_endian(Bytes bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    return value;
}
bool has_mark(Bytes bytes, std::uint32_t mark) { return bytes.size() >= 4 && little_endian(bytes, 0, 4) == mark; }

struct Directory {
    std::uint64_t first = 0, bytes = 0, entries = 0;
};

/// Of more than 4 GB or 65535 members the numbers stand in a record of their own.
std::optional<Directory> large_directory(const BinaryFile& file, std::uint64_t end_at) {
    if (end_at < large_end_place) return std::nullopt;
    const auto place = file.read(end_at - large_end_place, large_end_place);
    if (!has_mark(place, large_end_place_mark)) return std::nullopt;
    const auto record = file.read(little_endian(place, 8, 8), large_end_record);
    if (!has_mark(record, large_end_mark)) return std::nullopt;
    return Directory{little_endian(record, 48, 8), little_endian(record, 40, 8), little_endian(record, 32, 8)};
}

Directory directory_of(const BinaryFile& file) {
    constexpr std::uint64_t longest_comment = 65535;
    const std::uint64_t bytes = std::min<std::uint64_t>(file.bytes(), end_record + longest_comment);
    const auto tail = file.read(file.bytes() - bytes, static_cast<std::size_t>(bytes));
    for (std::size_t at = tail.size(); at-- > 0;) {
        const Bytes record = Bytes(tail).subspan(at);
        if (record.size() < end_record || !has_mark(record, end_mark)) continue;
        if (const auto large = large_directory(file, file.bytes() - bytes + at)) return *large;
        return {little_endian(record, 16, 4), little_endian(record, 12, 4), little_endian(record, 10, 2)};
    }
    refuse(file.name(), "is a zip archive without its directory, which lies at the end; was all of it downloaded?");
}

/// Numbers that four bytes do not hold stand in a further field, those alone and in this order.
void read_large_numbers(Bytes fields, ZipArchive::Member& member) {
    constexpr std::uint64_t elsewhere = 0xffffffff;
    while (fields.size() >= 4) {
        const std::uint64_t kind = little_endian(fields, 0, 2), bytes = little_endian(fields, 2, 2);
        if (bytes > fields.size() - 4) return;
        Bytes field = fields.subspan(4, static_cast<std::size_t>(bytes));
        fields = fields.subspan(4 + static_cast<std::size_t>(bytes));
        if (kind != 1) continue;
        for (std::uint64_t* number : {&member.bytes, &member.packed_bytes, &member.header_at}) {
            if (*number != elsewhere || field.size() < 8) continue;
            *number = little_endian(field, 0, 8);
            field = field.subspan(8);
        }
    }
}

/// A part of an open file, or all of one, in memory.
class Mapped {
public:
    Mapped(int file, std::size_t bytes, int protection) : bytes_(bytes) {
        at_ = mmap(nullptr, bytes, protection, MAP_SHARED, file, 0);
    }
    ~Mapped() {
        if (there()) munmap(at_, bytes_);
    }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    bool there() const { return at_ != MAP_FAILED; }
    std::byte* at() const { return static_cast<std::byte*>(at_); }

private:
    void* at_;
    std::size_t bytes_;
};

struct FreeDecompressor {
    void operator()(libdeflate_decompressor* one) const { libdeflate_free_decompressor(one); }
};

bool unpacked_well(const ZipArchive::Member& member, Bytes packed, std::byte* to) {
    if (member.method == stored) {
        std::memcpy(to, packed.data(), packed.size());
    } else {
        const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(libdeflate_alloc_decompressor());
        if (libdeflate_deflate_decompress(decompressor.get(), packed.data(), packed.size(), to, member.bytes,
                                          nullptr) != LIBDEFLATE_SUCCESS)
            return false;
    }
    return libdeflate_crc32(0, to, member.bytes) == member.checksum;
}

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

bool ZipArchive::is_zip(const std::string& path) { return beginning_of(path, 4) == "PK\3\4"; }

ZipArchive::ZipArchive(const std::string& path) : file_(path) {
    constexpr std::uint64_t most_entries = 1 << 20, most_bytes = std::uint64_t{1} << 28;
    const Directory directory = directory_of(file_);
    if (directory.first > file_.bytes() || directory.bytes > file_.bytes() - directory.first ||
        directory.bytes > most_bytes || directory.entries > most_entries)
        refuse(path, fmt::format("is a zip archive whose directory of {} members lies at bytes {} to {} of {}: it is "
                                 "damaged",
                                 directory.entries, directory.first, directory.first + directory.bytes, file_.bytes()));
    const auto all = file_.read(directory.first, static_cast<std::size_t>(directory.bytes));
    Bytes left(all);
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
        const bool whole = left.size() >= entry_header && has_mark(left, entry_mark);
        const std::size_t name = whole ? little_endian(left, 28, 2) : 0, more = whole ? little_endian(left, 30, 2) : 0,
                          comment = whole ? little_endian(left, 32, 2) : 0;
        if (!whole || left.size() < entry_header + name + more + comment)
            refuse(path, fmt::format("is a zip archive whose entry {} of {} is damaged", i, directory.entries));
        Member member{.name = std::string(reinterpret_cast<const char*>(left.data()) + entry_header, name),
                      .packed_bytes = little_endian(left, 20, 4),
                      .bytes = little_endian(left, 24, 4),
                      .header_at = little_endian(left, 42, 4),
                      .checksum = static_cast<std::uint32_t>(little_endian(left, 16, 4)),
                      .method = static_cast<int>(little_endian(left, 10, 2)),
                      .encrypted = (little_endian(left, 8, 2) & 1) != 0};
        read_large_numbers(left.subspan(entry_header + name, more), member);
        members_.push_back(std::move(member));
        left = left.subspan(entry_header + name + more + comment);
    }
}

std::uint64_t ZipArchive::data_at(const Member& member) const {
    const auto header = file_.read(member.header_at, member_header);
    const std::uint64_t at =
        member.header_at + member_header + little_endian(header, 26, 2) + little_endian(header, 28, 2);
    if (!has_mark(header, member_mark) || at > file_.bytes() || member.packed_bytes > file_.bytes() - at)
        refuse(file_.name(), fmt::format("its member {} is not where the directory says", shown(member.name)));
    return at;
}

void ZipArchive::unpack(const Member& member, const std::string& to) const {
    const std::string subject = fmt::format("{}: member {}", file_.name(), shown(member.name));
    if (member.encrypted || (member.method != stored && member.method != deflated))
        refuse(subject,
               fmt::format("is {}, expected it stored or deflated; unpack the archive first (unzip)",
                           member.encrypted ? "encrypted" : fmt::format("packed by method {}", member.method)));
    const std::uint64_t at = data_at(member);
    if (member.method == stored ? member.bytes != member.packed_bytes
                                : member.bytes / greatest_deflate_ratio > member.packed_bytes)
        refuse(subject,
               fmt::format("has {} bytes, which {} packed ones do not hold", member.bytes, member.packed_bytes));
    const FileDescriptor out(to, O_RDWR | O_CREAT | O_EXCL);
    if (!out.is_open()) refuse(subject, fmt::format("cannot be written to {}: {}", to, reason(errno)));
    if (member.bytes == 0) return;
    if (const int error = posix_fallocate(out, 0, static_cast<off_t>(member.bytes)); error != 0)
        refuse(subject, fmt::format("its {} bytes do not fit into {}: {}; set TMPDIR to a folder with more room, or "
                                    "unpack the archive (unzip)",
                                    member.bytes, to, reason(error)));
    const auto packed_end = static_cast<std::size_t>(at + member.packed_bytes);
    const FileDescriptor in(file_.name(), O_RDONLY);
    const Mapped from(in, packed_end, PROT_READ),
        mapped(out, static_cast<std::size_t>(member.bytes), PROT_READ | PROT_WRITE);
    if (!from.there() || !mapped.there()) refuse(subject, fmt::format("cannot be unpacked: {}", reason(errno)));
    if (!unpacked_well(member, Bytes(from.at(), packed_end).subspan(static_cast<std::size_t>(at)), mapped.at()))
        refuse(subject, "is damaged: its bytes do not unpack to what its checksum says");
}

}  // namespace cornerturn
