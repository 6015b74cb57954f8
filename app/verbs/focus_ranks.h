// SPDX-License-Identifier: Apache-2.0
// focus as one of several ranks (mpirun): what each takes of its machine, who speaks, and how failures end all of them.
#pragma once

#include <string>

#include "app/verbs/focus_task.h"
#include "pipeline/ranks/ranks.h"

namespace cornerturn {

/// A device for a rank, and how many ranks of this machine it shares the device and the memory with, itself included.
struct RankDevice {
    std::string name;
    int sharing = 1;
};

/// `auto` and `cuda` are the next GPU for each rank of a machine, where it has any; other names are taken as they are.
RankDevice device_of_rank(const std::string& name, int local_rank, int local_size, int gpus);

/// All ranks call this with the same job. Returns the exit code, the same for all but after a signal.
int focus_on_ranks(Ranks& ranks, FocusJob job, const std::string& device, bool dry_run);

}  // namespace cornerturn
