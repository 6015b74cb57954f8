// SPDX-License-Identifier: Apache-2.0
// Work in processes of its own: what crashes or hangs there is told of, and nothing else is harmed.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cornerturn::campaign {

/// Says a line to the process that waits for it.
using Say = std::function<void(const std::string& line)>;

struct Outcome {
    std::vector<std::string> lines;  ///< that were said
    std::string end;                 ///< "" where the work came to its end, else "signal 11", "took longer than 60 s"
};

/// Does pieces of work, `jobs` at a time. `done` is called in this process, in order of the numbers first, first + 1
/// ... The limit is one of processor time; ten times as long by the clock.
void work_in_processes(std::size_t pieces, int jobs, double limit_s,
                       const std::function<void(std::size_t piece, const Say& say)>& work,
                       const std::function<void(std::size_t piece, const Outcome& outcome)>& done);

Outcome work_in_process(double limit_s, const std::function<void(const Say& say)>& work);

}  // namespace cornerturn::campaign
