// SPDX-License-Identifier: Apache-2.0
// Folder of the program, or of the shared library that contains this code; installed data lie relative to it.
#pragma once

#include <filesystem>

namespace cornerturn {

/// Empty where the system does not tell.
std::filesystem::path own_folder();

}  // namespace cornerturn
