// SPDX-License-Identifier: Apache-2.0
#include "data/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "data/files/file_descriptor.h"
#include "data/files/file_lock.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

std::string reason_of(int error) { return std::strerror(error); }

std::string folder_of(const std::string& path) {
    const std::string folder = fs::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

/// The file that a chain of symbolic links ends at, so that a link given as output stays a link.
std::string resolved(const std::string& path) {
    std::error_code none;
    const fs::path target = fs::canonical(path, none);
    return none ? path : target.string();
}

/// Whether another run writes it now: HDF5 locks the files that it writes. Nobody has what is not there; of what cannot
/// be opened nothing is known.
LockAttempt attempt_on(const std::string& name) {
    const FileDescriptor file(name, O_RDWR);
    if (!file.is_open()) return errno == ENOENT ? LockAttempt::taken : LockAttempt::unknown;
    return try_lock(file);
}

/// Throws InputError where another run writes it now. Where that cannot be known, it is left to the user, as HDF5 does.
void check_not_in_use(const std::string& name, const std::string& output) {
    if (attempt_on(name) == LockAttempt::by_another)
        throw InputError(
            fmt::format("{}: another run is making it, in {}; wait for its end, or give another name", output, name));
}

void check_replaceable(const std::string& output, const struct stat& about, const std::string& input) {
    if (S_ISDIR(about.st_mode)) throw InputError(fmt::format("{}: is a folder; give a file name", output));
    if (!S_ISREG(about.st_mode))
        throw InputError(fmt::format("{}: exists and is not a regular file; give another name", output));
    if (access(output.c_str(), W_OK) != 0)
        throw InputError(fmt::format("{}: cannot be replaced: {}", output, reason_of(errno)));
    struct stat source {};
    if (!input.empty() && stat(input.c_str(), &source) == 0 && source.st_dev == about.st_dev &&
        source.st_ino == about.st_ino)
        throw InputError(fmt::format("{}: output and input are the same file; give another output name", output));
}

/// Permissions do not tell everything (read-only disks, special file systems); an attempt does.
void try_to_create(const std::string& output) {
    const UnfinishedName name(resolved(output));
    const int file = open(name.path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        throw InputError(
            fmt::format("{}: cannot be written, folder {}: {}", output, folder_of(output), reason_of(errno)));
    close(file);
    unlink(name.path().c_str());
}

void check_room(const std::string& path, std::uint64_t bytes) {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes)
        throw DeviceError(
            fmt::format("{}: the file needs {}, but this session may write files of at most {} (ulimit -f)", path,
                        size_text(bytes), size_text(limit.rlim_cur)));
    struct statvfs disk {};
    if (statvfs(folder_of(path).c_str(), &disk) != 0) return;
    const std::uint64_t free_bytes = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
    if (free_bytes < bytes)
        throw DeviceError(fmt::format("{}: the file needs {}, but its disk has only {} left", path, size_text(bytes),
                                      size_text(free_bytes)));
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
    constexpr double kib = 1024, mib = kib * kib;
    const auto size = static_cast<double>(bytes);
    return size < mib ? fmt::format("{:.1f} KiB", size / kib) : fmt::format("{:.1f} MiB", size / mib);
}

void check_output_path(const std::string& output, const std::string& input) {
    if (output.empty()) throw InputError("output: the path is empty; give a file name");
    if (output == "-")
        throw InputError("-: only --json writes to standard output; give a file name (./- for one that is called -)");
    const std::string folder = folder_of(output);
    struct stat about {};
    if (stat(folder.c_str(), &about) != 0)
        throw InputError(fmt::format("{}: cannot be written, folder {}: {}", output, folder, reason_of(errno)));
    if (!S_ISDIR(about.st_mode))
        throw InputError(fmt::format("{}: cannot be written, {} is not a folder", output, folder));
    if (fs::path(output).filename().empty()) throw InputError(fmt::format("{}: is a folder; give a file name", output));
    if (stat(output.c_str(), &about) == 0)
        check_replaceable(output, about, input);
    else if (errno != ENOENT)
        throw InputError(fmt::format("{}: cannot be written: {}", output, reason_of(errno)));
    try_to_create(output);
}

void bring_to_disk(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const int error = fsync(file) == 0 || errno == EINVAL || errno == ENOSYS ? 0 : errno;
    close(file);
    if (error != 0) throw DeviceError(fmt::format("{}: cannot be brought to the disk: {}", path, reason_of(error)));
}

std::string unfinished_name(const std::string& path) { return hidden_name(resolved(path), "unfinished"); }

OutputFile::OutputFile(const std::string& path, std::uint64_t expected_bytes, Unfinished unfinished)
    : path_(resolved(path)), expected_bytes_(expected_bytes), unfinished_(unfinished) {
    check_output_path(path);
    check_room(path_, expected_bytes);
    if (unfinished == Unfinished::kept) {
        temporary_path_ = unfinished_name(path);
        check_not_in_use(temporary_path_, path);
    } else {
        temporary_path_ = own_name_.emplace(path_).path();
    }
}

OutputFile::~OutputFile() {
    if (!committed_ && unfinished_ == Unfinished::removed) unlink(temporary_path_.c_str());
}

void OutputFile::commit() {
    // The data before the name: a loss of power leaves the old file or the new one, but whole.
    bring_to_disk(temporary_path_);
    if (std::rename(temporary_path_.c_str(), path_.c_str()) != 0)
        throw DeviceError(fmt::format("{}: cannot be renamed from {}: {}", path_, temporary_path_, reason_of(errno)));
    committed_ = true;
    bring_to_disk(folder_of(path_));
}

void remove_abandoned(const std::string& path) { AbandonedFiles().remove_of(path); }

void AbandonedFiles::remove_of(const std::string& path) {
    const std::string whole = resolved(path), folder = folder_of(whole),
                      beginning = fs::path(hidden_name(whole, unfinished_ending)).filename();
    const std::lock_guard lock(one_at_a_time_);
    const auto [listed, is_new] = names_.try_emplace(folder);
    std::set<std::string>& names = listed->second;
    std::error_code none;
    if (is_new)
        for (const auto& entry : fs::directory_iterator(folder, none))
            if (std::string name = entry.path().filename(); name.find(unfinished_ending) != std::string::npos)
                names.insert(std::move(name));
    for (auto name = names.lower_bound(beginning); name != names.end() && name->starts_with(beginning);) {
        const std::string file = fs::path(folder) / *name;
        const bool removed = attempt_on(file) == LockAttempt::taken && unlink(file.c_str()) == 0;
        name = removed ? names.erase(name) : std::next(name);
    }
}

void replace_file(const std::string& path, std::span<const std::byte> bytes) {
    OutputFile file(path, bytes.size());
    std::ofstream stream(file.temporary_path(), std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) throw DeviceError(fmt::format("{}: writing failed; is the disk full?", path));
    file.commit();
}

void replace_file(const std::string& path, std::string_view text) {
    replace_file(path, std::as_bytes(std::span(text)));
}

void remove_file(const std::string& path) {
    if (unlink(path.c_str()) == 0) bring_to_disk(folder_of(path));
}

}  // namespace cornerturn
