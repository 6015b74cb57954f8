// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/focus_bursts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/console.h"
#include "app/log.h"
#include "app/verbs/focus_outputs.h"
#include "app/verbs/focus_task.h"
#include "app/verbs/opened_frames.h"
#include "data/raw_file.h"
#include "kernels/errors.h"
#include "kernels/host/letter_case.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/device_shares.h"
#include "pipeline/run/image_header.h"
#include "pipeline/run/merged_bursts.h"

namespace cornerturn {
namespace {

/// "slc.h5" of IW1: "slc-IW1.h5".
std::string path_of(const std::string& path, const std::string& piece) {
    if (path.empty()) return path;
    const std::filesystem::path whole(path);
    return (whole.parent_path() / (whole.stem().string() + "-" + piece + whole.extension().string())).string();
}

FocusJob named_after(FocusJob job, const std::string& piece) {
    job.output = path_of(job.output, piece);
    job.png = path_of(job.png, piece);
    job.report = path_of(job.report, piece);
    job.stage_folder = path_of(job.stage_folder, piece);
    if (!job.json.file().empty()) job.json.to = path_of(job.json.to, piece);
    return job;
}

void check_merged(const FocusJob& job) {
    const auto leave = [](bool given, const char* option) {
        if (given)
            throw InputError(
                fmt::format("--merge: does not go with {}, which is of single images; leave one of them out", option));
    };
    leave(!job.grid.empty(), "--grid");
    leave(job.resume, "--resume");
    leave(job.image.autofocus != "none", "--autofocus");
    leave(!job.report.empty(), "--report");
    leave(job.json.asked(), "--json");
    leave(!job.stage_folder.empty(), "--dump-stages");
    leave(job.image.extent != "full", "--extent valid");
}

/// A burst that was planned.
struct PlannedBurst {
    FocusOptions options;
    std::unique_ptr<OpenedFrames> frames;
    Image header;
};

PlannedBurst planned(const FocusJob& job, std::span<Device* const> devices) {
    std::vector<std::string> remarks;
    PlannedBurst burst{.options = options_of(job, remarks), .frames = {}, .header = {}};
    log_warnings(remarks);
    burst.frames = std::make_unique<OpenedFrames>(job, burst.options);
    if (burst.frames->sources.size() != 1)
        throw InputError("--merge: makes one image of one polarization; choose one by --polarization");
    EchoSource& echo = *burst.frames->sources.front();
    burst.options = with_estimates(echo, burst.options, job.threads);
    const Acquisition* const acquisition = &echo.acquisition();
    const std::vector<FocusSetup> setups = set_up_frames(devices, std::span(&acquisition, 1), burst.options);
    burst.header = image_header(*acquisition, burst.options, setups.front());
    return burst;
}

void merge(const FocusJob& job, const std::vector<FocusJob>& bursts, std::span<Device* const> devices) {
    const StageClock clock;
    check_files(job, {job.png});
    std::vector<PlannedBurst> all;
    std::vector<Image> headers;
    for (const FocusJob& burst : bursts) {
        all.push_back(planned(burst, devices));
        headers.push_back(all.back().header);
        log_warnings(all.back().frames->warnings);
    }
    FocusOutputs outputs(job, 1, false,
                         job.png.empty() ? std::vector<std::string>{} : std::vector<std::string>{job.png});
    if (RslcFile* rslc = outputs.rslc())
        rslc->set_origin({.parameters_sha256 = FocusTask(job).parameters_sha256(), .input_sha256 = {}});
    MergedBursts merged(std::move(headers), outputs);
    for (PlannedBurst& burst : all) {
        const std::vector<EchoSource*> sources = burst.frames->pointers();
        const SharedFocus done = focus_frames(devices, sources, burst.options, merged, console_progress(), {}, {});
        for (const FocusReport& frame : done.frames) log_warnings(frame.warnings);
        burst.frames.reset();
    }
    merged.finish();
    outputs.commit();
    const ImageGrid& grid = merged.header().grid;
    log_info("{}: {} bursts, {} rows x {} columns on {} in {:.2f} s", job.output, bursts.size(), grid.rows,
             grid.columns, devices.front()->info().name, clock.total());
}

}  // namespace

std::vector<FocusJob> jobs_of_bursts(const FocusJob& job) {
    const FrameOptions& asked = job.frames;
    if (is_nisar(job.input) || (!asked.swath.empty() && asked.burst)) return {job};
    const RawContents contents = list_raw(job.input);
    std::vector<FocusJob> jobs;
    std::string there;
    for (const auto& [name, bursts] : contents.swaths) {
        there += there.empty() ? name : ", " + name;
        if (!asked.swath.empty() && upper(asked.swath) != name) continue;
        for (std::int64_t burst = 0; burst < bursts; ++burst) {
            if (asked.burst.value_or(burst) != burst) continue;
            jobs.push_back(named_after(job, fmt::format("{}-{}", name, burst)));
            jobs.back().frames.swath = name;
            jobs.back().frames.burst = burst;
        }
    }
    if (contents.swaths.empty()) return {job};
    if (jobs.empty())
        throw InputError(
            fmt::format("{}: holds bursts of {}, none of them as --swath and --burst say", job.input, there));
    return jobs;
}

void focus_merged(const FocusJob& job, std::vector<FocusJob> bursts, std::span<Device* const> devices) {
    check_merged(job);
    if (bursts.size() < 2)
        throw InputError(fmt::format("--merge: {} holds no two bursts as they are asked for; leave it out", job.input));
    for (auto first = bursts.begin(); first != bursts.end();) {
        const std::string swath = first->frames.swath;
        const auto end =
            std::find_if(first, bursts.end(), [&](const FocusJob& burst) { return burst.frames.swath != swath; });
        merge(job.frames.swath.empty() ? named_after(job, swath) : job, {first, end}, devices);
        first = end;
    }
}

}  // namespace cornerturn
