// SPDX-License-Identifier: Apache-2.0
#include "data/files/placed_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "data/files/file_lock.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
    throw DeviceError(fmt::format("{}: cannot be {}: {}", path, what, std::strerror(errno)));
}

}  // namespace

PlacedFile::PlacedFile(const std::string& path, std::uint64_t bytes) : output_(path, bytes), bytes_(bytes) {
    file_.emplace(output_.temporary_path(), O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (!file_->is_open()) fail(path, "written");
    try_lock(*file_);  // so that no other run takes it for one that was left behind
    if (ftruncate(*file_, static_cast<off_t>(bytes)) != 0) fail(path, "made as large as it will be");
}

void PlacedFile::write(std::uint64_t at, std::span<const std::byte> bytes) {
    if (at + bytes.size() > bytes_) throw std::logic_error(output_.path() + ": bytes behind its end");
    if (!write_at(*file_, at, bytes)) fail(output_.path(), "written");
}

void PlacedFile::commit() {
    file_.reset();
    output_.commit();
}

}  // namespace cornerturn
