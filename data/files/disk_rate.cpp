// SPDX-License-Identifier: Apache-2.0
#include "data/files/disk_rate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <vector>

#include "data/files/file_descriptor.h"
#include "data/files/output_file.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "pipeline/echo/stage_clock.h"

namespace cornerturn {
namespace {

constexpr std::size_t piece_bytes = std::size_t{4} << 20;

void require_open(const FileDescriptor& file, const std::string& path) {
    if (!file.is_open()) throw DeviceError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
}

/// `from(done)`: what comes next.
void write_all(const std::string& path, std::size_t bytes,
               const std::function<std::span<const std::byte>(std::size_t done)>& from) {
    const FileDescriptor descriptor(path, O_WRONLY | O_CREAT | O_TRUNC);
    require_open(descriptor, path);
    for (std::size_t done = 0; done < bytes;) {
        throw_if_interrupted();
        const std::span<const std::byte> next = from(done);
        const ssize_t put = write(descriptor, next.data(), std::min({piece_bytes, next.size(), bytes - done}));
        if (put <= 0) throw DeviceError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
        done += static_cast<std::size_t>(put);
    }
}

}  // namespace

void plain_read(const std::string& file, std::span<std::byte> to) {
    const FileDescriptor descriptor(file, O_RDONLY);
    require_open(descriptor, file);
    for (std::size_t done = 0; done < to.size();) {
        throw_if_interrupted();
        const ssize_t got = read(descriptor, to.data() + done, std::min(piece_bytes, to.size() - done));
        if (got <= 0)
            throw DeviceError(
                fmt::format("{}: cannot be read: {}", file, got < 0 ? std::strerror(errno) : "it is too short"));
        done += static_cast<std::size_t>(got);
    }
}

void plain_write(const std::string& file, std::span<const std::byte> bytes) {
    OutputFile output(file, bytes.size());
    write_all(output.temporary_path(), bytes.size(), [&](std::size_t done) { return bytes.subspan(done); });
    output.commit();
}

double plain_read_rate(const std::string& file, std::size_t most_bytes) {
    std::vector<std::byte> to(std::min(most_bytes, static_cast<std::size_t>(std::filesystem::file_size(file))),
                              std::byte{1});
    StageClock clock;
    plain_read(file, to);
    return static_cast<double>(to.size()) / std::max(1e-9, clock.lap());
}

double plain_write_rate(const std::string& file, std::size_t bytes) {
    const OutputFile output(file + ".rate", bytes);  // never committed
    const std::vector<std::byte> piece(piece_bytes, std::byte{1});
    StageClock clock;
    write_all(output.temporary_path(), bytes, [&](std::size_t) { return std::span(piece); });
    return static_cast<double>(bytes) / std::max(1e-9, clock.lap());
}

}  // namespace cornerturn
