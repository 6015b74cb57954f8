// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace cornerturn {

/// An open file; what it means that one could not be opened says whoever asked (is_open, errno).
class FileDescriptor {
public:
    FileDescriptor(const std::string& path, int flags, mode_t permissions = 0600)
        : file_(open(path.c_str(), flags | O_CLOEXEC, permissions)) {}
    ~FileDescriptor() {
        if (is_open()) close(file_);
    }
    FileDescriptor(FileDescriptor&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    bool is_open() const { return file_ >= 0; }
    operator int() const { return file_; }

private:
    int file_;
};

/// All of these bytes, from there on in an open file; false where the system fails (errno).
inline bool write_at(int file, std::uint64_t at, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        at += static_cast<std::uint64_t>(written);
    }
    return true;
}

}  // namespace cornerturn
