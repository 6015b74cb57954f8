// SPDX-License-Identifier: Apache-2.0
#include "data/files/file_names.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "data/files/output_file.h"
#include "kernels/errors.h"

namespace cornerturn {

namespace fs = std::filesystem;

/// By its place, and, where it is there, by itself.
std::vector<FileNames::Key> FileNames::keys_of(const std::string& path) {
    std::vector<Key> keys;
    std::error_code none;
    const fs::path canonical = fs::canonical(path, none);
    // A pipe of a shell has a name that leads nowhere.
    fs::path whole = none ? fs::weakly_canonical(fs::absolute(path), none) : canonical;
    if (whole.empty()) whole = fs::absolute(path);
    fs::path folder = whole.parent_path();
    struct stat about {};
    while (stat(folder.c_str(), &about) != 0 && folder.has_relative_path()) folder = folder.parent_path();
    keys.emplace_back(about.st_dev, about.st_ino, whole.lexically_relative(folder).string());
    if (stat(path.c_str(), &about) == 0) keys.emplace_back(about.st_dev, about.st_ino, "");
    return keys;
}

const FileNames::Named* FileNames::find(const std::string& path) const {
    for (const Key& key : keys_of(path))
        if (const auto found = files_.find(key); found != files_.end()) return &found->second;
    return nullptr;
}

void FileNames::add(Named file) {
    for (const Key& key : keys_of(file.path)) files_.emplace(key, file);
}

FileNames check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
    FileNames files;
    for (const std::string& input : inputs)
        if (!input.empty()) files.add({.path = input});
    for (const std::string& output : outputs) {
        if (output.empty()) continue;
        if (const auto* same = files.find(output)) {
            const std::string also = same->path == output ? "" : fmt::format(" (as {})", same->path);
            throw InputError(
                same->written
                    ? fmt::format("{}: named for two outputs{}; give each its own file", output, also)
                    : fmt::format("{}: output and input{} are the same file; give another output name", output, also));
        }
        check_output_path(output);
        files.add({.path = output, .written = true});
    }
    return files;
}

}  // namespace cornerturn
