// SPDX-License-Identifier: Apache-2.0
#include "data/files/input_state.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "data/files/refusal.h"
#include "data/files/sha256.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

/// By their names. Hidden ones, as a file browser leaves them, tell nothing of an echo.
std::vector<std::string> files_in(const std::string& folder) try {
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
} catch (const fs::filesystem_error& error) {
    refuse(folder, fmt::format("the folder cannot be read: {}", error.code().message()));
}

using Moment = std::pair<time_t, long>;

Moment look_at(const std::string& path, InputState& state) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0) refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    state.bytes += S_ISREG(about.st_mode) ? static_cast<std::uint64_t>(about.st_size) : 0;
    return {about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
}

bool is_folder(const std::string& path) {
    std::error_code none;
    return fs::is_directory(path, none);
}

}  // namespace

InputState input_state(const std::string& path) {
    InputState state;
    Moment latest = look_at(path, state);
    if (is_folder(path))
        for (const std::string& file : files_in(path)) latest = std::max(latest, look_at(file, state));
    state.modified = fmt::format("{}.{:09}", latest.first, latest.second);
    return state;
}

std::string sha256_of_input(const std::string& path) {
    if (!is_folder(path)) return sha256_of_file(path);
    std::string sums;
    for (const std::string& file : files_in(path))
        sums += fmt::format("{}  {}\n", sha256_of_file(file), fs::path(file).filename().string());
    return sha256_of(sums);
}

}  // namespace cornerturn
