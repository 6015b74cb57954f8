// SPDX-License-Identifier: Apache-2.0
// One run of the program in a process of its own, without loading it anew: what it did with a damaged file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cornerturn::fuzz {

struct Trial {
    int code = 0;               ///< exit code, or minus the signal
    double cpu_s = 0;           ///< of all its threads
    std::int64_t taken_kb = 0;  ///< memory at its height, beyond what this process had
    std::string said;           ///< on standard error
};

/// Limits of the system on a run: 0 is none.
struct Limits {
    unsigned cpu_s = 0;            ///< the run ends by SIGXCPU
    unsigned wall_s = 0;           ///< the run ends by SIGALRM
    std::uint64_t file_bytes = 0;  ///< of any file that it writes
};

/// Forks and runs the program with these words, on one thread. This process must not have used OpenMP: its threads are
/// not there after a fork.
Trial run_words(const std::vector<std::string>& words, const Limits& limits);

/// As one types them.
std::string text_of(const std::vector<std::string>& words);

/// What is wrong with how a run ended, in words; empty where nothing is.
std::string fault_of(const Trial& trial, const Limits& limits, std::int64_t memory_kb);

/// What is wrong with what it left in the folder of its outputs.
std::string fault_of_leftovers(const std::string& folder, int code);

}  // namespace cornerturn::fuzz
