// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/scratch_rows.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

[[noreturn]] void fail_scratch(const std::string& folder, const char* what) {
    throw DeviceError(fmt::format("{}: rows that wait for the others cannot be {}: {}", folder, what,
                                  std::generic_category().message(errno)));
}

}  // namespace

ScratchRows::ScratchRows(const std::string& folder, std::int64_t columns)
    : folder_(folder.empty() ? "." : folder), columns_(columns) {
    std::string name = folder_ + "/.cornerturn-XXXXXX";
    descriptor_ = mkstemp(name.data());
    if (descriptor_ < 0) fail_scratch(folder_, "kept");
    unlink(name.c_str());
}

ScratchRows::~ScratchRows() { close(descriptor_); }

void ScratchRows::write(std::int64_t row, std::int64_t column, std::span<const std::complex<float>> samples) {
    auto bytes = std::as_bytes(samples);
    auto at = static_cast<off_t>((row * columns_ + column) * static_cast<std::int64_t>(sizeof(samples[0])));
    while (!bytes.empty()) {
        const ssize_t done = pwrite(descriptor_, bytes.data(), bytes.size(), at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) fail_scratch(folder_, "written");
        bytes = bytes.subspan(static_cast<std::size_t>(done));
        at += done;
    }
}

void ScratchRows::read(std::int64_t first_row, std::span<std::complex<float>> rows) const {
    auto bytes = std::as_writable_bytes(rows);
    auto at = static_cast<off_t>(first_row * columns_ * static_cast<std::int64_t>(sizeof(rows[0])));
    while (!bytes.empty()) {
        const ssize_t done = pread(descriptor_, bytes.data(), bytes.size(), at);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail_scratch(folder_, "read");
        if (done == 0) {  // behind what was written
            std::fill(bytes.begin(), bytes.end(), std::byte{0});
            return;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(done));
        at += done;
    }
}

}  // namespace cornerturn
