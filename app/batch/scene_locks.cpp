// SPDX-License-Identifier: Apache-2.0
#include "app/batch/scene_locks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "data/sha256.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

int open_locks(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) throw InputError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
    return file;
}

/// The same for everybody, and hardly ever that of another scene.
off_t place_of(const std::string& scene) {
    return static_cast<off_t>(std::stoull(sha256_of(scene).substr(0, 15), nullptr, 16));
}

}  // namespace

SceneLocks::SceneLocks(const std::string& folder) : path_(std::filesystem::path(folder) / ".batch.lock") {
    close(open_locks(path_));
}

SceneLocks::Held::~Held() {
    if (file_ >= 0) close(file_);
}

/// Of an open file of its own: what another thread of this process closes does not end it, as it would end locks of the
/// older kind.
std::optional<SceneLocks::Held> SceneLocks::take(const std::string& scene) const {
    Held held(open_locks(path_));
    struct flock byte {};
    byte.l_type = F_WRLCK;
    byte.l_whence = SEEK_SET;
    byte.l_start = place_of(scene);
    byte.l_len = 1;
    const int file = held.file();
    if (fcntl(file, F_OFD_SETLK, &byte) != 0 && (errno == EAGAIN || errno == EACCES)) return std::nullopt;
    return held;
}

}  // namespace cornerturn
