// SPDX-License-Identifier: Apache-2.0
#include "data/zip/zip_archive.h"

#include <zip.h>

#include <span>
#include <system_error>

#include "data/files/file_descriptor.h"
#include "data/files/file_kind.h"
#include "data/files/refusal.h"
#include "data/hdf5/inflate.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

struct CloseMember {
    void operator()(zip_file_t* member) const { zip_fclose(member); }
};

std::string reason(int error) { return std::generic_category().message(error); }

std::string reason(zip_t* archive) { return zip_error_strerror(zip_get_error(archive)); }

zip_t* opened(const std::string& path) {
    int code = 0;
    if (zip_t* const archive = zip_open(path.c_str(), ZIP_RDONLY, &code); archive != nullptr) return archive;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (code == ZIP_ER_NOZIP)
        refuse(path,
               "is a zip archive without its directory, which lies at the end, or it is damaged; was all of it "
               "downloaded?");
    refuse(path, fmt::format("is a zip archive whose directory is damaged, or cannot be read: {}", text));
}

/// What is not read, and bytes that its packed ones cannot stand for.
void check_kind(const std::string& subject, const zip_stat_t& facts) {
    const bool encrypted = facts.encryption_method != ZIP_EM_NONE, stored = facts.comp_method == ZIP_CM_STORE;
    if (encrypted || (!stored && facts.comp_method != ZIP_CM_DEFLATE))
        refuse(subject, fmt::format("is {}, expected it stored or deflated; unpack the archive first (unzip)",
                                    encrypted ? "encrypted" : fmt::format("packed by method {}", facts.comp_method)));
    if (stored ? facts.size != facts.comp_size : facts.size / greatest_deflate_ratio > facts.comp_size)
        refuse(subject, fmt::format("has {} bytes, which {} packed ones do not hold", facts.size, facts.comp_size));
}

}  // namespace

void ZipArchive::Close::operator()(zip* archive) const { zip_discard(archive); }

bool ZipArchive::is_zip(const std::string& path) { return beginning_of(path, 4) == "PK\3\4"; }

ZipArchive::ZipArchive(const std::string& path) : path_(path), archive_(opened(path)) {
    const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive_.get(), 0));
    for (std::uint64_t i = 0; i < count; ++i) {
        const char* const name = zip_get_name(archive_.get(), i, ZIP_FL_ENC_RAW);
        if (name == nullptr)
            refuse(path, fmt::format("is a zip archive whose entry {} of {} is damaged: {}", i, count,
                                     reason(archive_.get())));
        members_.push_back({name, i});
    }
}

void ZipArchive::unpack(const Member& member, const std::string& to) const {
    const std::string subject = fmt::format("{}: member {}", path_, shown(member.name));
    zip_stat_t facts;
    if (zip_stat_index(archive_.get(), member.index, 0, &facts) != 0)
        refuse(subject, fmt::format("is damaged: {}", reason(archive_.get())));
    check_kind(subject, facts);
    const std::unique_ptr<zip_file_t, CloseMember> in(zip_fopen_index(archive_.get(), member.index, 0));
    if (in == nullptr) refuse(subject, fmt::format("is damaged: {}", reason(archive_.get())));
    const FileDescriptor out(to, O_WRONLY | O_CREAT | O_EXCL);
    if (!out.is_open()) refuse(subject, fmt::format("cannot be written to {}: {}", to, reason(errno)));
    if (facts.size > 0)
        if (const int error = posix_fallocate(out, 0, static_cast<off_t>(facts.size)); error != 0)
            refuse(subject,
                   fmt::format("its {} bytes do not fit into {}: {}; set TMPDIR to a folder with more room, or "
                               "unpack the archive (unzip)",
                               facts.size, to, reason(error)));
    std::vector<std::byte> piece(std::size_t{1} << 20);
    std::uint64_t done = 0;
    // The checksum is compared when there is nothing more to read.
    for (zip_int64_t got = 1; got != 0; done += static_cast<std::uint64_t>(got)) {
        throw_if_interrupted();
        got = zip_fread(in.get(), piece.data(), piece.size());
        if (got < 0 || done + static_cast<std::uint64_t>(got) > facts.size || (got == 0 && done != facts.size))
            refuse(subject, "is damaged: its bytes do not unpack to what its checksum says");
        if (!write_at(out, done, std::span(piece).first(static_cast<std::size_t>(got))))
            refuse(subject, fmt::format("cannot be written to {}: {}", to, reason(errno)));
    }
}

}  // namespace cornerturn
