// SPDX-License-Identifier: Apache-2.0
// What must not outlive the program, for the moment when it has to end at once.
#pragma once

#include <string>

namespace cornerturn {

/// Remembers a file, or a folder for files that are remembered later, that nobody but this process uses. It need not
/// exist yet, nor for long.
void remember_unfinished(const std::string& path);

/// Removes all of it that exists. A signal handler may call this at any moment.
void remove_unfinished() noexcept;

}  // namespace cornerturn
