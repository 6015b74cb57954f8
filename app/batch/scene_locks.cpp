// SPDX-License-Identifier: Apache-2.0
#include "app/batch/scene_locks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/log.h"
#include "data/files/file_lock.h"
#include "data/files/sha256.h"
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
    const Held tried(open_locks(path_));
    if (try_lock_byte(tried.file(), place_of("")) == LockAttempt::unknown)
        log_warning("{}: cannot be locked ({}): another run in this folder may take the same scenes", path_,
                    std::strerror(errno));
}

SceneLocks::Held::~Held() {
    if (file_ >= 0) close(file_);
}

std::optional<SceneLocks::Held> SceneLocks::take(const std::string& scene) const {
    Held held(open_locks(path_));
    if (try_lock_byte(held.file(), place_of(scene)) == LockAttempt::by_another) return std::nullopt;
    return held;
}

}  // namespace cornerturn
