// SPDX-License-Identifier: Apache-2.0
// Where the program, or the shared library that this code is in, lies: what came along with it lies beside it.
#pragma once

#include <filesystem>

namespace cornerturn {

/// Empty where the system does not tell.
std::filesystem::path own_folder();

}  // namespace cornerturn
