// SPDX-License-Identifier: Apache-2.0
// Where tests put their files.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace cornerturn {

/// An empty folder that nobody else has, gone with all that is in it afterwards.
class ScratchFolder {
public:
    ScratchFolder() : path_(made((std::filesystem::temp_directory_path() / "cornerturn-test-XXXXXX").string())) {}
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    /// Names of everything in a folder within, hidden files too, in order.
    std::vector<std::string> names(const std::string& within = "") const {
        std::vector<std::string> result;
        for (const auto& entry : std::filesystem::directory_iterator(path_ / within))
            result.push_back(entry.path().filename().string());
        std::sort(result.begin(), result.end());
        return result;
    }

private:
    static std::filesystem::path made(std::string name) {
        if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
        return name;
    }
    std::filesystem::path path_;
};

}  // namespace cornerturn
