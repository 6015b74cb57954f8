// SPDX-License-Identifier: Apache-2.0
// cornerturn focus: raw echo in, single-look complex image out.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <future>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "app/common_options.h"
#include "app/console.h"
#include "app/log.h"
#include "app/verb.h"
#include "app/verbs/focus_bursts.h"
#include "app/verbs/focus_ranks.h"
#include "app/verbs/focus_task.h"
#include "app/verbs/verbs.h"
#include "kernels/errors.h"
#include "kernels/host/same_job.h"
#include "kernels/host/thread_limit.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/echo/timeline.h"

namespace cornerturn {
namespace {

struct FocusArguments {
    FocusJob job;
    std::string device = "auto";
    bool dry_run = false, merge = false;
};

/// `timeline`: of the first job of a run, whose device was opened for it.
void do_job(const FocusArguments& o, const FocusJob& job, std::span<Device* const> devices, double open_device_s,
            std::shared_ptr<Timeline> timeline) {
    const FocusTask task(job, std::move(timeline));
    if (o.dry_run)
        task.print_plan(devices);
    else
        log_info("{}", summary_line(task.run(devices, console_progress(), open_device_s)));
}

/// A burst that is refused does not keep those behind it from being focused. Throws InputError where all are: what is
/// wrong is mostly wrong with all of them, and said once.
int do_bursts(const FocusArguments& o, const std::vector<FocusJob>& jobs, std::span<Device* const> devices,
              double open_device_s, std::shared_ptr<Timeline> timeline) {
    std::vector<std::string> refused, reasons;
    std::size_t told = 0;
    for (const FocusJob& job : jobs) {
        try {
            do_job(o, job, devices, open_device_s, std::exchange(timeline, nullptr));
        } catch (const InputError& error) {
            refused.push_back(fmt::format("{} {}", job.frames.swath, job.frames.burst));
            reasons.emplace_back(error.what());
        }
        open_device_s = 0;
        const bool any_done = static_cast<std::size_t>(&job - jobs.data()) + 1 > refused.size();
        for (; any_done && told < refused.size(); ++told) log_error("burst {}: {}", refused[told], reasons[told]);
    }
    if (refused.empty()) return exit_code::success;
    if (refused.size() == jobs.size())
        throw InputError(fmt::format("{}: none of {} bursts was focused; burst {}: {}", o.job.input, jobs.size(),
                                     refused.front(), reasons.front()));
    log_error("{} of {} bursts were refused ({}); the others are done", refused.size(), jobs.size(),
              fmt::join(refused, ", "));
    return exit_code::check_failed;
}

int run_focus(const FocusArguments& o) {
    const ThreadLimit limit(o.job.threads);
    const auto timeline = std::make_shared<Timeline>();
    const auto ranks = join_ranks();
    if (!ranks->alone() && jobs_of_bursts(o.job).size() > 1)
        throw InputError(
            fmt::format("{}: holds several bursts, of which ranks share one; give --swath and --burst", o.job.input));
    if (!ranks->alone()) return focus_on_ranks(*ranks, o.job, o.device, o.dry_run);
    if (o.job.output.empty() && !o.dry_run) throw InputError("focus: no output; give -o SLC.h5 (or --dry-run)");
    const std::vector<FocusJob> jobs = jobs_of_bursts(o.job);
    // A context on a GPU takes a quarter of a second to make: the input is looked at meanwhile.
    auto opening = std::async(std::launch::async, in_same_job([&] {
                                  const TimelineSpan span(timeline.get(), lane::device, "open");
                                  return open_devices(o.device, o.job.threads);
                              }));
    const FocusTask first(jobs.front(), timeline);
    if (jobs.size() == 1) first.require_input();
    StageClock clock;
    const auto devices = opening.get();
    const double open_device_s = clock.lap();
    std::vector<Device*> pointers;
    for (const auto& device : devices) {
        if (o.device == "auto" || o.device == "cuda:all")
            log_info("computing on {} ({})", device->info().name, device->info().description);
        pointers.push_back(device.get());
    }
    if (jobs.size() > 1 && (o.dry_run || !o.merge)) return do_bursts(o, jobs, pointers, open_device_s, timeline);
    if (o.merge && !o.dry_run) return focus_merged(o.job, jobs, pointers);
    do_job(o, jobs.front(), pointers, open_device_s, timeline);
    return exit_code::success;
}

}  // namespace

void add_focus(const Verb& program) {
    auto o = std::make_shared<FocusArguments>();
    const Verb verb = program.verb("focus",
                                   "Focuses a raw echo (NISAR L0B, PALSAR, Sentinel-1, CPHD) into a single-look "
                                   "complex image (NISAR RSLC, on a map GSLC)");
    verb.footer(
        "Examples:\n"
        "  cornerturn focus raw.h5 -o slc.h5 --range-window kaiser:2.5 --azimuth-window kaiser:2.5 --png slc.png\n"
        "  cornerturn focus raw.h5 -o map.h5 --algorithm backprojection --grid utm --spacing 10 --dem dem.tif\n"
        "  cornerturn focus raw.h5 -o slc.h5 --polarization all --device cuda:all\n"
        "  mpirun -n 4 cornerturn focus raw.h5 -o slc.h5   (a build with MPI: ranks share frames, azimuth blocks or "
        "one block)");
    verb.option("RAW.h5", o->job.input, "Raw echo, a file or a folder, whose format is told by its content").required();
    verb.option("-o,--output", o->job.output,
                "Image to write, NISAR RSLC layout; with --grid GSLC. Named .tif a GeoTIFF, .nitf a SICD, .slc ENVI");
    verb.option("--device", o->device,
                "auto, cpu, cuda, cuda:N (cpu-double: the double-precision reference), or several of one kind "
                "that share frames and azimuth "
                "blocks: cuda:0,1 or cuda:all, or cpu,cpu. With --max-memory, which is of each, they make the "
                "same blocks and with that "
                "the same image, bit for bit, as one; without, a scene that is one block is cut where that pays. "
                "One that fails is left "
                "out, and its block goes to another. Of several ranks on a machine each takes the next GPU, "
                "unless N says which")
        .shows_default();
    add_job_options(verb, o->job);
    verb.flag(
        "--resume", o->job.resume,
        "Keep the image when the run is broken off, with its azimuth blocks so far, and go on with one that was kept");
    verb.flag(
        "--merge", o->merge,
        "Of a file of bursts: one image of each swath (SLC-IW1.h5), with --grid one of all of them (SLC.h5), with "
        "seams in the middle of overlaps. Without, one of each burst (SLC-IW1-0.h5)");
    verb.flag("--dry-run", o->dry_run, "Only say what would be done: geometry, FFT lengths, resolution, memory");
    add_json_option(verb, o->job.json);
    add_threads_option(verb, o->job.threads,
                       ", of each cpu that --device names (shared among them) or of each rank (those it is bound to)");
    verb.runs([=] { return run_focus(*o); });
}

}  // namespace cornerturn
