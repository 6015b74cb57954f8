// SPDX-License-Identifier: Apache-2.0
#include "data/files/output_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "data/files/output_file.h"
#include "kernels/errors.h"

namespace cornerturn {

namespace fs = std::filesystem;

namespace {

/// Without a slash at its end.
std::string plain_path(const std::string& path) {
    const fs::path whole(path);
    return (whole.has_filename() ? whole : whole.parent_path()).string();
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder, error)) return;
    make_folder(folder.parent_path());
    remember_unfinished(folder);
    if (!fs::create_directory(folder, error) && error)
        throw DeviceError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
}

}  // namespace

void check_output_folder(const std::string& path) {
    const std::string folder = plain_path(path);
    std::error_code error;
    if (fs::symlink_status(folder, error).type() != fs::file_type::not_found)
        throw InputError(
            fmt::format("{}: exists, and a folder is not written over; remove it, or give another name", folder));
    check_output_path(folder);
}

OutputFolder::OutputFolder(const std::string& path) : path_(plain_path(path)), temporary_(path_) {
    check_output_folder(path);
    make_folder(fs::absolute(temporary_.path()));
}

OutputFolder::~OutputFolder() {
    std::error_code error;
    if (!committed_) fs::remove_all(temporary_.path(), error);
}

std::string OutputFolder::path_of(const std::string& file) {
    const fs::path path = fs::absolute(fs::path(temporary_.path()) / file);
    make_folder(path.parent_path());
    remember_unfinished(path);
    return path;
}

void OutputFolder::commit() {
    std::vector<std::string> parts{temporary_.path()};
    for (const auto& entry : fs::recursive_directory_iterator(temporary_.path())) parts.push_back(entry.path());
    for (const std::string& part : parts) bring_to_disk(part);
    if (std::rename(temporary_.path().c_str(), path_.c_str()) != 0)
        throw DeviceError(
            fmt::format("{}: cannot be renamed from {}: {}", path_, temporary_.path(), std::strerror(errno)));
    committed_ = true;
    bring_to_disk(fs::absolute(path_).parent_path());
}

}  // namespace cornerturn
