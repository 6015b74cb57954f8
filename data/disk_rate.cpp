// SPDX-License-Identifier: Apache-2.0
#include "data/disk_rate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "data/output_file.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "pipeline/stage_clock.h"

namespace cornerturn {
namespace {

constexpr std::size_t piece_bytes = std::size_t{4} << 20;

/// An open file.
class Descriptor {
public:
    Descriptor(const std::string& path, int flags) : file_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {
        if (file_ < 0) throw DeviceError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
    }
    ~Descriptor() { close(file_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    operator int() const { return file_; }

private:
    int file_;
};

}  // namespace

double plain_read_rate(const std::string& file, std::size_t most_bytes) {
    const Descriptor descriptor(file, O_RDONLY);
    std::vector<std::byte> piece(piece_bytes, std::byte{1});
    std::size_t done = 0;
    StageClock clock;
    while (done < most_bytes) {
        throw_if_interrupted();
        const ssize_t got = read(descriptor, piece.data(), std::min(piece.size(), most_bytes - done));
        if (got < 0) throw DeviceError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return static_cast<double>(done) / std::max(1e-9, clock.lap());
}

double plain_write_rate(const std::string& file, std::size_t bytes) {
    const OutputFile output(file + ".rate", bytes);  // never committed
    const Descriptor descriptor(output.temporary_path(), O_WRONLY | O_CREAT | O_TRUNC);
    const std::vector<std::byte> piece(piece_bytes, std::byte{1});
    std::size_t done = 0;
    StageClock clock;
    while (done < bytes) {
        throw_if_interrupted();
        const ssize_t put = write(descriptor, piece.data(), std::min(piece.size(), bytes - done));
        if (put <= 0) throw DeviceError(fmt::format("{}: cannot be written: {}", output.temporary_path(), std::strerror(errno)));
        done += static_cast<std::size_t>(put);
    }
    return static_cast<double>(done) / std::max(1e-9, clock.lap());
}

}  // namespace cornerturn
