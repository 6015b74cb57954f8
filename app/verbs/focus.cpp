// SPDX-License-Identifier: Apache-2.0
// cornerturn focus: raw echo in, single-look complex image out.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include <algorithm>
#include <future>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "app/common_options.h"
#include "app/console.h"
#include "app/log.h"
#include "app/verb.h"
#include "app/verbs/each_burst.h"
#include "app/verbs/focus_bursts.h"
#include "app/verbs/focus_ranks.h"
#include "app/verbs/focus_task.h"
#include "app/verbs/verbs.h"
#include "data/safe/safe_folder.h"
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

/// `timeline`: of the first job of a run, whose device was opened for it; else nullptr.
void do_job(const FocusArguments& o, const FocusJob& job, std::span<Device* const> devices, const Progress& progress,
            double open_device_s, std::shared_ptr<Timeline> timeline) {
    const FocusTask task(job, std::move(timeline));
    if (o.dry_run)
        task.print_plan(devices);
    else
        log_info("{}", summary_line(task.run(devices, progress, open_device_s)));
}

int do_bursts(const FocusArguments& o, const std::vector<FocusJob>& bursts, std::span<Device* const> devices,
              double open_device_s, const std::shared_ptr<Timeline>& timeline) {
    const int at_once = o.dry_run ? 1 : bursts_at_once(bursts, devices.front()->info(), omp_get_max_threads());
    const int code = focus_each_burst(
        bursts, devices, at_once, [&](const FocusJob& burst, std::span<Device* const> with, const Progress& progress) {
            const bool first = &burst == &bursts.front();  // which the device was opened for
            do_job(o, burst, with, progress, first ? open_device_s : 0, first ? timeline : nullptr);
        });
    if (const auto& safe = bursts.front().safe; safe && !o.dry_run) {
        safe->commit();
        log_warnings(safe->remarks());
        log_info("{}: {} bursts", safe->path(), safe->written_bursts());
    }
    return code;
}

/// One that all bursts go to.
void share_folder(std::vector<FocusJob>& bursts, bool merge) {
    const std::string& path = bursts.front().output;
    if (merge)
        throw InputError(fmt::format("--merge: {} has bursts one above the other, as they are; leave it out", path));
    const ProductOptions product = bursts.front().product(1);
    check_product(path, product);
    if (bursts.size() < 2) return;
    const auto folder = std::make_shared<SafeFolder>(path, product.input, product.samples.full_scale);
    for (FocusJob& burst : bursts) burst.safe = folder;
}

/// Contexts on GPUs, which take a tenth of a second, beside the planning. Where there comes none, the job hears of it.
/// They take a core, as does who reads: a region of OpenMP that wants all waits a time slice of the system's at each of
/// its barriers.
class ContextsInMaking {
public:
    ContextsInMaking(std::span<Device* const> devices, Timeline& timeline, int threads)
        : on_gpus_(!devices.front()->info().shares_host_memory),
          limit_(on_gpus_ && threads == 0 ? std::max(1, omp_get_max_threads() - 2) : 0) {
        if (!on_gpus_) return;
        made_ = std::async(std::launch::async, [devices, &timeline] {
            const TimelineSpan span(&timeline, lane::device, "make the context");
            for (Device* device : devices) try {
                    device->synchronize();
                } catch (const DeviceError&) {
                }
        });
    }

private:
    bool on_gpus_;
    ThreadLimit limit_;
    std::future<void> made_;
};

int run_focus(const FocusArguments& o) {
    const ThreadLimit limit(o.job.threads);
    const auto timeline = std::make_shared<Timeline>();
    const auto ranks = join_ranks();
    if (!ranks->alone()) return focus_on_ranks(*ranks, o.job, o.device, o.dry_run);
    if (o.job.output.empty() && !o.dry_run) throw InputError("focus: no output; give -o SLC.h5 (or --dry-run)");
    std::vector<FocusJob> jobs = jobs_of_bursts(o.job);
    if (product_format_of(o.job.output) == ProductFormat::safe) share_folder(jobs, o.merge);
    // The driver takes a tenth of a second to begin: the input is looked at meanwhile.
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
    const ContextsInMaking contexts(pointers, *timeline, o.job.threads);
    if (jobs.size() > 1 && (o.dry_run || !o.merge)) return do_bursts(o, jobs, pointers, open_device_s, timeline);
    if (o.merge && !o.dry_run) return focus_merged(o.job, jobs, pointers);
    do_job(o, jobs.front(), pointers, console_progress(), open_device_s, timeline);
    return exit_code::success;
}

}  // namespace

void add_focus(const Verb& program) {
    auto o = std::make_shared<FocusArguments>();
    const Verb verb = program.verb("focus",
                                   "Focuses a raw echo (NISAR L0B, PALSAR, Sentinel-1, CPHD) into a single-look "
                                   "complex image (NISAR RSLC, on a map GSLC)");
    verb.footer(R"(Examples:
  cornerturn focus raw.h5 -o slc.h5 --range-window kaiser:2.5 --azimuth-window kaiser:2.5 --png slc.png
  cornerturn focus raw.h5 -o map.h5 --algorithm backprojection --grid utm --spacing 10 --dem dem.tif
  cornerturn focus raw.h5 -o slc.h5 --polarization all --device cuda:all
  mpirun -n 4 cornerturn focus raw.h5 -o slc.h5   (built with MPI: ranks share frames, azimuth blocks or one block))");
    verb.option("RAW.h5", o->job.input, "Raw echo, a file or a folder; its format is recognised by the content")
        .required();
    verb.option("-o,--output", o->job.output,
                "Image to write: NISAR RSLC, with --grid GSLC. A name in .tif makes it a GeoTIFF, .nitf a SICD, .slc "
                "ENVI; .SAFE makes a folder of all bursts, as ESA's SLC of Sentinel-1 is")
        .type("FILE");
    verb.option(
            "--device", o->device,
            "auto, cpu, cuda, cuda:N (cpu-double: the double-precision reference), or several of one kind that share "
            "frames and azimuth blocks: cuda:0,1 or cuda:all, or cpu,cpu. With --max-memory, which is the limit of "
            "each device, several devices make the same blocks as one, and the same image bit for bit. Without "
            "--max-memory, a scene that is one block is cut into parts where that is faster. If a device fails, the "
            "others take over its block. Under mpirun each rank takes the next GPU of its machine, unless N names one")
        .type("auto|cpu|cuda|cuda:N|cpu-double")
        .shows_default();
    add_job_options(verb, o->job);
    verb.flag("--resume", o->job.resume,
              "Keep an unfinished image with its finished azimuth blocks when the run is interrupted; continue an "
              "image that was kept");
    verb.flag("--merge", o->merge,
              "For files of bursts: make one image of each swath (SLC-IW1.h5), with --grid one of all swaths (SLC.h5), "
              "with seams in the middle of overlaps. Without it, each burst has an image of its own (SLC-IW1-0.h5)")
        .rare();
    verb.flag("--dry-run", o->dry_run, "Only print the plan: geometry, FFT lengths, resolution, memory");
    add_json_option(verb, o->job.json);
    add_threads_option(verb, o->job.threads,
                       "CPU threads of each cpu that --device names, or of each rank; 0: all cores, divided among "
                       "these (of a rank: those that it is bound to)");
    verb.runs([=] { return run_focus(*o); });
}

}  // namespace cornerturn
