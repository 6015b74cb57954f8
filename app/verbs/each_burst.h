// SPDX-License-Identifier: Apache-2.0
// Every burst of a file by itself: an image of each, several in hand at once where the machine has room.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/verbs/focus_job.h"
#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "pipeline/echo/progress.h"

namespace cornerturn {

/// What is not done of several things, and why.
struct Refusal {
    std::string name, reason;
};
/// Logs them: "2 of 9 WHATs were refused". Returns check_failed, or success where there are none.
int tell_refusals(const std::vector<Refusal>& refused, std::size_t all, const char* what);

/// For a request to stop that came after so many of all: these are there.
Interrupted interrupted_after(std::size_t done, std::size_t all, const char* what);

/// One burst on these devices; `progress`: of it. Throws what FocusTask::run throws.
using BurstWork =
    std::function<void(const FocusJob& burst, std::span<Device* const> devices, const Progress& progress)>;

/// Jobs of so many bytes in memory that take less than half of the free memory together: from 1 to `most`.
int jobs_with_room(std::uintmax_t free_bytes, std::uintmax_t bytes, int most);

/// Bursts at once on one device, as many as hide what each waits for: as cores allow, and as take less than half of the
/// free memory. One where a job asks for something that they would share (a limit of memory, the standard output).
int bursts_at_once(const std::vector<FocusJob>& bursts, const DeviceInfo& device, int threads);

/// Bursts whose plans are made at once, each on its share of the threads, in so much free memory of the machine: what
/// the data are asked for goes through matrices of its own. One where the job has a limit of memory.
int plans_at_once(const std::vector<FocusJob>& bursts, std::uintmax_t free_bytes, int threads);

/// What is done with a number.
using NumberedWork = std::function<void(std::size_t)>;
/// Every number below `count`, shared out to so many threads, this one included, each with its share of the threads of
/// parallel regions. Each is first asked for what it does with its numbers (`first`: this one); one that answers with
/// nothing leaves them to the others. What one throws ends all of them and is thrown on.
void share_out(std::size_t count, int at_once, const std::function<NumberedWork(bool first)>& worker);
/// Where all do the same.
void work_at_once(std::size_t count, int at_once, const NumberedWork& work);

/// Does `work` for all bursts: in order on all `devices`, or, where there is one, several at once on further devices of
/// its name. A burst that is refused (InputError) does not keep the others from being focused and is logged at the end;
/// the exit code is then check_failed. Throws InputError where all are refused, as what is wrong is mostly wrong with
/// all of them; what else `work` throws ends all of them.
int focus_each_burst(const std::vector<FocusJob>& bursts, std::span<Device* const> devices, int at_once,
                     const BurstWork& work);

}  // namespace cornerturn
