// SPDX-License-Identifier: Apache-2.0
// Whole processes of the program, as benches time them.
#pragma once

#include <string>
#include <vector>

namespace cornerturn {

/// The file that this process was started from.
std::string this_program();

/// Runs a program to its end, with nothing on its standard input and nobody who reads its output, and returns for how
/// long, in ms, from asking for it until it is gone. Throws DeviceError with its last line of error where it ends with
/// another exit code than 0, and Interrupted on request, which ends it, too. `folder`: for that line.
double process_ms(const std::string& program, const std::vector<std::string>& words, const std::string& folder);

}  // namespace cornerturn
