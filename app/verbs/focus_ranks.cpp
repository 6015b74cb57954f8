// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/focus_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "app/console.h"
#include "app/log.h"
#include "app/verbs/focus_bursts.h"
#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/echo/timeline.h"
#include "pipeline/ranks/agreement.h"

namespace cornerturn {
namespace {

int gpus_here() {
    const auto devices = list_devices().devices;
    return static_cast<int>(
        std::count_if(devices.begin(), devices.end(), [](const DeviceInfo& d) { return d.name.starts_with("cuda"); }));
}

/// What one rank has of it: only rank 0 makes files.
FocusJob job_of_rank(const Ranks& ranks, FocusJob job, const std::string& device, bool dry_run) {
    if (job.output.empty() && !dry_run) throw InputError("focus: no output; give -o SLC.h5 (or --dry-run)");
    if (device.find(',') != std::string::npos || device == "cuda:all")
        throw InputError(fmt::format(
            "--device {}: names several, but a rank has one; start as many ranks as GPUs, with --device cuda", device));
    if (!job.stage_folder.empty())
        throw InputError("--dump-stages: shows the stages of one block on one rank; start it without mpirun");
    if (jobs_of_bursts(job).size() > 1)
        throw InputError(
            fmt::format("{}: holds several bursts, of which ranks share one; give --swath and --burst", job.input));
    if (job.threads == 0) job.threads = ranks.threads();
    if (!ranks.leads()) job.output = job.png = job.report = job.json.to = "";
    return job;
}

/// Not for failures that all have agreed on: others would wait for this rank for ever.
int end_all(Ranks& ranks, const std::exception_ptr& error) {
    const Failure failure = failure_of(error);
    say_errors();
    log_error("{}: {}", ranks.name(ranks.rank()), failure.text);
    ranks.abort(failure.code);
    return failure.code;
}

int focus_as_rank(Ranks& ranks, FocusJob job, const std::string& device_name, bool dry_run) {
    std::optional<ThreadLimit> limit;
    std::optional<FocusTask> task;
    std::unique_ptr<Device> device;
    StageClock clock;
    const auto timeline = std::make_shared<Timeline>();
    together(ranks, [&] {
        job = job_of_rank(ranks, std::move(job), device_name, dry_run);
        limit.emplace(job.threads);
        const RankDevice own = device_of_rank(device_name, ranks.local_rank(), ranks.local_size(), gpus_here());
        job.memory_share = 1.0 / own.sharing;
        task.emplace(job, timeline);
        if (ranks.leads()) task->require_input();
        const TimelineSpan span(timeline.get(), lane::device, "open");
        device = open_device(own.name, job.threads);
    });
    const double open_device_s = clock.lap();
    Device* const own = device.get();
    const std::span<Device* const> devices(&own, 1);
    if (dry_run) {
        together(ranks, [&] {
            if (ranks.leads()) task->print_plan(devices, ranks.size());
        });
        return exit_code::success;
    }
    if (!ranks.leads()) {
        task->help(devices, ranks);
        return exit_code::success;
    }
    log_info("{} ranks, {} with {} ({})", ranks.size(), ranks.name(0), device->info().name, device->info().description);
    log_info("{}", summary_line(task->run(devices, console_progress(), open_device_s, {}, ranks)));
    return exit_code::success;
}

}  // namespace

RankDevice device_of_rank(const std::string& name, int local_rank, int local_size, int gpus) {
    const bool next = (name == "auto" || name == "cuda") && gpus > 0;
    if (next) return {fmt::format("cuda:{}", local_rank % gpus), (local_size + gpus - 1) / gpus};
    return {name == "auto" ? "cpu" : name, local_size};
}

int focus_on_ranks(Ranks& ranks, FocusJob job, const std::string& device, bool dry_run) {
    // All is said before this rank leaves: once one has ended with a failure, mpirun ends the others.
    return run_guarded([&] {
        try {
            return focus_as_rank(ranks, std::move(job), device, dry_run);
        } catch (const Agreed&) {
            throw;
        } catch (const Interrupted&) {  // likewise, with other words
            throw;
        } catch (...) {
            return end_all(ranks, std::current_exception());
        }
    });
}

}  // namespace cornerturn
