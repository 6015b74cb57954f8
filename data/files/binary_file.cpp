// SPDX-License-Identifier: Apache-2.0
#include "data/files/binary_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "data/files/refusal.h"

namespace cornerturn {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

BinaryFile::BinaryFile(const std::string& path) : name_(path), file_(path, O_RDONLY) {
    if (!file_.is_open()) refuse(path, fmt::format("cannot be read: {}", reason(errno)));
    struct stat about {};
    if (fstat(file_, &about) != 0) refuse(path, fmt::format("cannot be read: {}", reason(errno)));
    if (!S_ISREG(about.st_mode)) refuse(path, "is no file");
    bytes_ = static_cast<std::uint64_t>(about.st_size);
}

void BinaryFile::read(std::uint64_t first, std::span<std::byte> to) const {
    if (first > bytes_ || to.size() > bytes_ - first)
        refuse(name_, fmt::format("ends at byte {}, where {} to {} are expected", bytes_, first, first + to.size()));
    while (!to.empty()) {
        const ssize_t count = pread(file_, to.data(), to.size(), static_cast<off_t>(first));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse(name_, fmt::format("cannot be read: {}", reason(errno)));
        if (count == 0) refuse(name_, fmt::format("ends at byte {}: it became shorter", first));
        first += static_cast<std::uint64_t>(count);
        to = to.subspan(static_cast<std::size_t>(count));
    }
}

std::vector<std::byte> BinaryFile::read(std::uint64_t first, std::size_t count) const {
    if (first > bytes_ || count > bytes_ - first)
        refuse(name_, fmt::format("ends at byte {}, where {} to {} are expected", bytes_, first, first + count));
    std::vector<std::byte> bytes(count);
    read(first, bytes);
    return bytes;
}

}  // namespace cornerturn
