// SPDX-License-Identifier: Apache-2.0
// Where files lie that are read again and then no more.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "data/files/refusal.h"
#include "data/files/unfinished.h"

namespace cornerturn {

/// An empty folder in TMPDIR, gone with all that is in it afterwards.
class TemporaryFolder {
public:
    /// cornerturn-NAME-..., for this content. Throws InputError where it cannot be made.
    TemporaryFolder(const std::string& name, const std::string& content) : process_(getpid()) {
        std::error_code error;
        const std::filesystem::path around = std::filesystem::temp_directory_path(error);
        path_ = (around / ("cornerturn-" + name + "-XXXXXX")).string();
        if (!error && mkdtemp(path_.data()) == nullptr) error.assign(errno, std::generic_category());
        if (error) {
            const char* const given = std::getenv("TMPDIR");
            refuse(given != nullptr ? given : around.string(),
                   fmt::format("no folder can be made there for {}: {}; set TMPDIR to a folder that can be written",
                               content, error.message()));
        }
        remember_unfinished(path_);
    }
    ~TemporaryFolder() {
        std::error_code none;
        if (getpid() == process_) std::filesystem::remove_all(path_, none);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
    int process_;  ///< a forked one leaves the folder to it
};

}  // namespace cornerturn
