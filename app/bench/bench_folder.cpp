// SPDX-License-Identifier: Apache-2.0
#include "app/bench/bench_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "data/files/unfinished.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

/// Asked for only when it is needed: where TMPDIR names no folder, the rest of the program still works.
std::string temporary_folder(const std::string& bench) {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (error)
        throw InputError(
            fmt::format("bench {}: there is no folder for temporary files ({}); set TMPDIR to one or give --folder",
                        bench, error.message()));
    return folder.string();
}

}  // namespace

BenchFolder::BenchFolder(const std::string& bench, const std::string& parent) {
    const fs::path in = parent.empty() ? temporary_folder(bench) : parent;
    path_ = in / fmt::format("cornerturn-bench-{}-{}", bench, getpid());
    std::error_code error;
    remember_unfinished(path_);
    if (!fs::create_directory(path_, error))
        throw InputError(fmt::format("--folder {}: no folder can be made there: {}", in.string(), error.message()));
}

BenchFolder::~BenchFolder() {
    std::error_code none;
    fs::remove_all(path_, none);
}

std::string BenchFolder::file(const std::string& name) const {
    const std::string path = fs::path(path_) / name;
    remember_unfinished(path);
    return path;
}

std::string BenchFolder::folder(const std::string& name) const {
    const std::string path = file(name);
    fs::create_directory(path);
    return path;
}

}  // namespace cornerturn
