// SPDX-License-Identifier: Apache-2.0
// How far an unfinished file has come, and of which run it is: noted beside it, so that another run may go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cornerturn {

/// What two runs have to share for the one to go on where the other stopped: names and values, for people.
using RunFacts = std::vector<std::pair<std::string, std::string>>;

struct ResumeState {
    RunFacts facts;
    std::vector<std::int64_t> block_rows;  ///< of each frame's azimuth blocks
    std::vector<std::string> images;       ///< datasets that were begun; all but the last are complete
    std::int64_t rows = 0;                 ///< of the last one: in the file, or waiting
    std::vector<std::byte> waiting;        ///< the last of these rows, whose chunks are not full
};

/// The file that a state is noted in, beside the unfinished one.
std::string state_name(const std::string& unfinished);

/// None where nothing is noted, or nothing that can be read.
std::optional<ResumeState> read_resume_state(const std::string& unfinished);
/// In place of what was noted before, as a whole. Throws DeviceError.
void write_resume_state(const std::string& unfinished, const ResumeState& state);

/// Throws InputError naming the first fact that has changed; there may be more of them than are known now.
void check_same_run(const std::string& output, const RunFacts& then, const RunFacts& now);

}  // namespace cornerturn
