// SPDX-License-Identifier: Apache-2.0
// What must not outlive the program, for the moment when it has to end at once.
#pragma once

#include <string>

namespace cornerturn {

/// Remembers a file, or a folder for files that are remembered later, that nobody but this process uses. It need not
/// exist yet, nor for long.
void remember_unfinished(const std::string& path);

/// The hidden name beside a path under which this process writes it: of several threads that write the same path at
/// once each has one of its own, and each is used again when it is free.
class UnfinishedName {
public:
    explicit UnfinishedName(const std::string& path);
    ~UnfinishedName();
    UnfinishedName(const UnfinishedName&) = delete;
    UnfinishedName& operator=(const UnfinishedName&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// What its ending begins with; the number of the process follows.
inline constexpr const char* unfinished_ending = "partial-";

/// ".NAME.ENDING" beside a path.
std::string hidden_name(const std::string& path, const std::string& ending);

/// Removes all of it that exists. A signal handler may call this at any moment.
void remove_unfinished() noexcept;

}  // namespace cornerturn
