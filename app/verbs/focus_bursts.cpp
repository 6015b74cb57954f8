// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/focus_bursts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
#include "pipeline/formers/map_plan.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/device_shares.h"
#include "pipeline/run/image_header.h"
#include "pipeline/run/merged_bursts.h"
#include "pipeline/run/merged_map.h"

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
    leave(job.frames.part.given(), "--bbox, --lines or --time");
    leave(job.resume, "--resume");
    leave(job.image.autofocus != "none", "--autofocus");
    leave(!job.report.empty(), "--report");
    leave(job.json.asked(), "--json");
    leave(!job.stage_folder.empty(), "--dump-stages");
    leave(job.image.extent != "full", "--extent valid");
}

/// A burst that was planned, on the zero-Doppler grid.
struct PlannedBurst {
    FocusOptions options;
    std::unique_ptr<OpenedFrames> frames;
    FocusSetup setup;
    Image header;

    EchoSource& echo() const { return *frames->sources.front(); }
    void plan(std::span<Device* const> devices) {
        const Acquisition* const acquisition = &echo().acquisition();
        setup = std::move(set_up_frames(devices, std::span(&acquisition, 1), options).front());
        header = image_header(*acquisition, options, setup);
    }
};

PlannedBurst planned(const FocusJob& job, std::span<Device* const> devices) {
    std::vector<std::string> remarks;
    PlannedBurst burst{.options = options_of(job, remarks), .frames = {}, .setup = {}, .header = {}};
    log_warnings(remarks);
    burst.options.map.reset();
    burst.frames = std::make_unique<OpenedFrames>(job, burst.options);
    if (burst.frames->sources.size() != 1)
        throw InputError("--merge: makes one image of one polarization; choose one by --polarization");
    burst.options = with_estimates(burst.echo(), burst.options, job.threads);
    burst.plan(devices);
    log_warnings(burst.frames->warnings);
    return burst;
}

std::vector<PlannedBurst> planned(const std::vector<FocusJob>& bursts, std::span<Device* const> devices) {
    std::vector<PlannedBurst> all;
    for (const FocusJob& burst : bursts) all.push_back(planned(burst, devices));
    return all;
}

std::vector<std::string> pictures_of(const FocusJob& job) {
    return job.png.empty() ? std::vector<std::string>{} : std::vector<std::string>{job.png};
}

void focus_into(ImageSink& sink, std::vector<PlannedBurst>& bursts, std::span<Device* const> devices) {
    for (PlannedBurst& burst : bursts) {
        const SharedFocus done =
            focus_frames(devices, burst.frames->pointers(), burst.options, sink, console_progress(), {}, {});
        for (const FocusReport& frame : done.frames) log_warnings(frame.warnings);
        burst.frames.reset();
    }
}

void tell_of_merged(const FocusJob& job, std::size_t bursts, const ImageGrid& grid, const Device& device,
                    double took_s) {
    log_info("{}: {} bursts, {} rows x {} columns on {} in {:.2f} s", job.output, bursts, grid.rows, grid.columns,
             device.info().name, took_s);
}

void merge(const FocusJob& job, const std::vector<FocusJob>& bursts, std::span<Device* const> devices) {
    const StageClock clock;
    check_files(job, {job.png});
    std::vector<PlannedBurst> all = planned(bursts, devices);
    std::vector<Image> headers;
    for (const PlannedBurst& burst : all) headers.push_back(burst.header);
    FocusOutputs outputs(job, 1, false, pictures_of(job));
    outputs.set_origin({.parameters_sha256 = FocusTask(job).parameters_sha256(),
                        .input_sha256 = {},
                        .input_names = {granule_name(job.input)}});
    MergedBursts merged(std::move(headers), outputs);
    focus_into(merged, all, devices);
    merged.finish();
    outputs.commit();
    tell_of_merged(job, bursts.size(), merged.header().grid, *devices.front(), clock.total());
}

/// The parts of one map on which the bursts lie: all in the projection of the one in the middle, with pixels of its
/// size. Nothing for bursts beside a map whose bounds were given.
std::vector<std::optional<MapGrid>> parts_of_map(const MapRequest& asked, const std::vector<PlannedBurst>& bursts) {
    MapRequest request = asked;
    request.grid.reset();
    const MapGrid like = asked.grid ? *asked.grid : map_around(bursts[bursts.size() / 2].setup.image, request);
    request.projection = like.projection;
    request.spacing_m = like.projection.in_degrees() && asked.grid ? 1 : pixel_size(like).across_m;
    std::vector<std::optional<MapGrid>> parts;
    for (const PlannedBurst& burst : bursts) {
        const MapGrid around = map_around(burst.setup.image, request);
        const auto end_x = around.x(static_cast<double>(around.columns) - 0.5),
                   end_y = around.y(static_cast<double>(around.rows) - 0.5);
        MapGrid part = like;
        const auto column = static_cast<std::int64_t>(std::floor(like.column_at(around.x(-0.5)) + 0.5)),
                   row = static_cast<std::int64_t>(std::floor(like.row_at(around.y(-0.5)) + 0.5));
        part.first_x = like.x(static_cast<double>(column)), part.first_y = like.y(static_cast<double>(row));
        part.columns = static_cast<std::int64_t>(std::ceil(like.column_at(end_x) + 0.5)) - column;
        part.rows = static_cast<std::int64_t>(std::ceil(like.row_at(end_y) + 0.5)) - row;
        parts.push_back(asked.grid ? common_part(like, part) : part);
    }
    return parts;
}

/// Onto one map, bursts of all swaths.
void merge_on_map(const FocusJob& job, const std::vector<FocusJob>& bursts, std::span<Device* const> devices) {
    const StageClock clock;
    check_files(job, {job.png});
    std::vector<std::string> remarks;
    const MapRequest asked = options_of(job, remarks).map.value();
    std::vector<PlannedBurst> all = planned(bursts, devices);
    std::vector<std::string> swaths;
    std::vector<SeenArea> whole;
    for (std::size_t i = 0; i < all.size(); ++i) {
        swaths.push_back(bursts[i].frames.swath);
        whole.push_back(whole_area(all[i].header));
    }
    const std::vector<SeenArea> own = parted(swaths, std::move(whole));
    const std::vector<std::optional<MapGrid>> parts = parts_of_map(asked, all);
    std::vector<PlannedBurst> seen;
    std::vector<BurstOnMap> on_map;
    std::vector<MapGrid> grids;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!parts[i]) continue;
        PlannedBurst& burst = all[i];
        burst.options.map = MapRequest{.projection = {}, .spacing_m = 0, .grid = *parts[i]};
        burst.plan(devices);
        const MapView& map = burst.setup.image.map.value();
        on_map.push_back({.header = burst.header,
                          .seen = map.seen,
                          .places = GridPlaces(map, burst.setup.image.geometry->track()),
                          .own = own[i]});
        grids.push_back(*parts[i]);
        burst.setup = {};
        seen.push_back(std::move(burst));
    }
    if (seen.empty()) throw InputError("--merge: no burst lies on the map; check the bounds of the grid");
    FocusOutputs outputs(job, 1, true, pictures_of(job));
    MergedMap merged(std::move(on_map), asked.grid.value_or(map_of_all(grids)),
                     std::filesystem::path(job.output).parent_path(), outputs);
    focus_into(merged, seen, devices);
    merged.finish();
    outputs.commit();
    tell_of_merged(job, seen.size(), merged.header().grid, *devices.front(), clock.total());
}

}  // namespace

std::vector<FocusJob> jobs_of_bursts(const FocusJob& job) {
    const FrameOptions& asked = job.frames;
    if (is_nisar(job.input) || (!asked.swath.empty() && burst_number(asked))) return {job};
    const RawContents contents = list_raw(job.input);
    const std::optional<std::int64_t> number = burst_number(asked);
    const auto kept = std::make_shared<std::any>();
    std::vector<FocusJob> jobs;
    std::string there;
    for (const auto& [name, bursts, ids] : contents.swaths) {
        there += there.empty() ? name : ", " + name;
        if (!asked.swath.empty() && upper(asked.swath) != name) continue;
        for (std::int64_t burst = 0; burst < bursts; ++burst) {
            if (number.value_or(burst) != burst) continue;
            const std::string id = ids.empty() ? "" : ids[static_cast<std::size_t>(burst)];
            jobs.push_back(named_after(job, id.empty() ? fmt::format("{}-{}", name, burst) : id));
            jobs.back().frames.swath = name;
            jobs.back().frames.burst = std::to_string(burst);
            jobs.back().frames.kept = kept;
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
    if (!job.grid.empty()) return merge_on_map(job, bursts, devices);
    for (auto first = bursts.begin(); first != bursts.end();) {
        const std::string swath = first->frames.swath;
        const auto end =
            std::find_if(first, bursts.end(), [&](const FocusJob& burst) { return burst.frames.swath != swath; });
        merge(job.frames.swath.empty() ? named_after(job, swath) : job, {first, end}, devices);
        first = end;
    }
}

}  // namespace cornerturn
