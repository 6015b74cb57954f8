// SPDX-License-Identifier: Apache-2.0
// Keeps two runs that share a folder, on one host or on several, from working on the same scene.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace cornerturn {

/// One byte of a file for each scene, locked while somebody works on it; a lock ends with its process, however that
/// ends.
class SceneLocks {
public:
    /// `folder` must be there. Throws InputError if nothing can be written to it; warns where it knows no locks.
    explicit SceneLocks(const std::string& folder);

    /// Holds a scene while it lives.
    class Held {
    public:
        explicit Held(int file) : file_(file) {}
        Held(Held&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
        Held& operator=(Held&& other) noexcept {
            std::swap(file_, other.file_);
            return *this;
        }
        ~Held();
        int file() const { return file_; }

    private:
        int file_;
    };
    /// None while another run has it. Where the file system knows no locks, everybody gets it.
    std::optional<Held> take(const std::string& scene) const;

private:
    std::string path_;
};

}  // namespace cornerturn
