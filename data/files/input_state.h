// SPDX-License-Identifier: Apache-2.0
// By what an input is known again: a file, or a folder with the files right in it, as raw echo in several files is
// delivered.
#pragma once

#include <cstdint>
#include <string>

namespace cornerturn {

/// Of a folder the sum of its files, and the latest of their changes.
struct InputState {
    std::uint64_t bytes = 0;
    std::string modified;  ///< seconds since 1970, to the nanosecond
};
/// Throws InputError where it cannot be looked at.
InputState input_state(const std::string& path);

/// SHA-256 of a file as sha256_of_file has it; of a folder that of the names and sums of its files.
std::string sha256_of_input(const std::string& path);

}  // namespace cornerturn
