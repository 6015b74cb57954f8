// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/focus_bursts.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <set>

#include "app/console.h"
#include "app/log.h"
#include "app/verbs/cpu_imager.h"
#include "app/verbs/each_burst.h"
#include "app/verbs/focus_outputs.h"
#include "app/verbs/focus_task.h"
#include "app/verbs/opened_frames.h"
#include "data/raw_file.h"
#include "kernels/errors.h"
#include "kernels/host/available_memory.h"
#include "kernels/host/letter_case.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/formers/map_plan.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/device_shares.h"
#include "pipeline/run/frame_run.h"
#include "pipeline/run/image_header.h"
#include "pipeline/run/merged_bursts.h"
#include "pipeline/run/merged_map.h"

namespace cornerturn {
namespace {

FocusJob named_after(FocusJob job, const std::string& piece) {
    if (product_format_of(job.output) != ProductFormat::safe) job.output = path_of_piece(job.output, piece);
    job.png = path_of_piece(job.png, piece);
    job.report = path_of_piece(job.report, piece);
    job.stage_folder = path_of_piece(job.stage_folder, piece);
    if (!job.json.file().empty()) job.json.to = path_of_piece(job.json.to, piece);
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

std::string name_of(const FocusJob& burst) { return fmt::format("{} {}", burst.frames.swath, burst.frames.burst); }

/// A burst that was planned, on the zero-Doppler grid.
struct PlannedBurst {
    std::string swath, name;
    FocusOptions options = {};
    std::unique_ptr<OpenedFrames> frames = {};
    FocusSetup setup = {};
    Image header = {};
    std::vector<std::string> remarks = {};
    std::string refusal = {};  ///< why it cannot be planned

    EchoSource& echo() const { return *frames->sources.front(); }
    void plan(std::span<Device* const> devices) {
        const Acquisition* const acquisition = &echo().acquisition();
        setup = std::move(set_up_frames(devices, std::span(&acquisition, 1), options).front());
        header = image_header(*acquisition, options, setup);
    }
    void plan_on(const MapGrid& part, std::span<Device* const> devices) try {
        options.map = MapRequest{.projection = {}, .spacing_m = 0, .grid = part};
        plan(devices);
    } catch (const InputError& error) {
        refusal = error.what();
    }
    /// By the plan, which is spent. Several devices make plans of their own.
    std::vector<FocusReport> focus(std::span<Device* const> devices, ImageSink& sink) {
        const std::vector<EchoSource*> sources = frames->pointers();
        if (devices.size() > 1) return focus_frames(devices, sources, options, sink, console_progress()).frames;
        std::vector<FocusSetup> setups;
        setups.push_back(std::move(setup));
        return focus_planned_frames(*devices.front(), sources, options, std::move(setups), sink, console_progress());
    }
};

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
        const MapGrid around = counted_as(map_around(burst.setup.image, request), like);
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

/// Remembers whether it was the file that failed.
class WatchedSink final : public ImageSink {
public:
    explicit WatchedSink(ImageSink& to) : to_(to) {}
    void begin(const Image& header) override {
        failed_ = true;
        to_.begin(header);
        failed_ = false;
    }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        failed_ = true;
        to_.write(first_row, rows);
        failed_ = false;
    }
    bool failed() const { return failed_; }

private:
    ImageSink& to_;
    bool failed_ = false;
};

/// One image of several bursts, in the order of swaths and of time in each. Bursts that are refused are left out, with
/// a warning.
class Merging {
public:
    Merging(const FocusJob& job, std::vector<FocusJob> bursts, std::span<Device* const> devices)
        : job_(job), bursts_(std::move(bursts)), devices_(devices) {}
    /// Throws InputError where all bursts are refused.
    void run() {
        const StageClock clock;
        check_files(job_, {job_.png});
        for (bool done = false; !done;) {
            try {
                job_.grid.empty() ? merge() : merge_on_map();
                done = true;
            } catch (const Refusal& refused) {
                leave_out(refused);
            }
        }
        log_info("{}: {} bursts, {} rows x {} columns on {} in {:.2f} s", job_.output, merged_, grid_.rows,
                 grid_.columns, devices_.front()->info().name, clock.total());
    }

private:
    std::vector<PlannedBurst> planned();
    PlannedBurst planned(const FocusJob& burst) const;
    void plan_at_once(std::size_t count, const std::function<void(std::size_t)>& plan) const;
    void leave_out(const Refusal& refused);
    void tell(const std::vector<std::string>& warnings);
    FocusOutputs outputs() const;
    void merge();
    void merge_on_map();
    void focus_into(ImageSink& sink, const WatchedSink& file, std::vector<PlannedBurst>& bursts);

    const FocusJob& job_;
    std::vector<FocusJob> bursts_;
    std::span<Device* const> devices_;
    std::vector<Refusal> refused_;
    std::set<std::string> told_;  ///< warnings
    std::size_t merged_ = 0;
    ImageGrid grid_;
};

/// Once, however often bursts are planned.
void Merging::tell(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings)
        if (told_.insert(warning).second) log_warning("{}", warning);
}

void Merging::leave_out(const Refusal& refused) {
    std::erase_if(bursts_, [&](const FocusJob& burst) { return name_of(burst) == refused.name; });
    refused_.push_back(refused);
    if (bursts_.empty())
        throw InputError(fmt::format("{}: none of {} bursts was focused; burst {}: {}", job_.input, refused_.size(),
                                     refused_.front().name, refused_.front().reason));
}

PlannedBurst Merging::planned(const FocusJob& job) const try {
    PlannedBurst burst{.swath = job.frames.swath, .name = name_of(job)};
    burst.options = options_of(job, burst.remarks);
    burst.frames = std::make_unique<OpenedFrames>(job, burst.options);
    burst.options.map.reset();
    burst.options = with_estimates(burst.echo(), burst.options, cpu_imager(omp_get_max_threads()));
    burst.frames->refine(job, burst.options);
    burst.plan(devices_);
    burst.remarks.insert(burst.remarks.end(), burst.frames->warnings.begin(), burst.frames->warnings.end());
    return burst;
} catch (const InputError& error) {
    return {.swath = job.frames.swath, .name = name_of(job), .refusal = error.what()};
}

/// While plans are made devices are only asked.
void Merging::plan_at_once(std::size_t count, const std::function<void(std::size_t)>& plan) const {
    work_at_once(count, plans_at_once(bursts_, available_memory_bytes(), omp_get_max_threads()), plan);
}

std::vector<PlannedBurst> Merging::planned() {
    if (choose_frames(job_.input, job_.frames).size() != 1)
        throw InputError("--merge: makes one image of one polarization; choose one by --polarization");
    std::vector<PlannedBurst> all(bursts_.size());
    plan_at_once(all.size(), [&](std::size_t i) { all[i] = planned(bursts_[i]); });
    for (const PlannedBurst& burst : all) {
        if (!burst.refusal.empty()) leave_out({burst.name, burst.refusal});
        tell(burst.remarks);
    }
    std::erase_if(all, [](const PlannedBurst& burst) { return !burst.refusal.empty(); });
    for (const auto& [name, reason] : refused_) tell({fmt::format("burst {} is left out: {}", name, reason)});
    return all;
}

FocusOutputs Merging::outputs() const {
    FocusOutputs outputs(job_, 1, !job_.grid.empty(),
                         job_.png.empty() ? std::vector<std::string>{} : std::vector<std::string>{job_.png});
    outputs.set_origin({.parameters_sha256 = FocusTask(job_).parameters_sha256(),
                        .input_sha256 = {},
                        .input_names = {granule_name(job_.input)}});
    return outputs;
}

void Merging::focus_into(ImageSink& sink, const WatchedSink& file, std::vector<PlannedBurst>& bursts) {
    for (PlannedBurst& burst : bursts) {
        try {
            for (const FocusReport& frame : burst.focus(devices_, sink)) tell(frame.warnings);
        } catch (const InputError& error) {
            if (file.failed()) throw;
            throw Refusal{burst.name, error.what()};
        }
        burst.frames.reset();
    }
}

void Merging::merge() {
    std::vector<PlannedBurst> all = planned();
    std::vector<Image> headers;
    for (const PlannedBurst& burst : all) headers.push_back(burst.header);
    FocusOutputs file = outputs();
    WatchedSink watched(file);
    MergedBursts merged(std::move(headers), watched);
    focus_into(merged, watched, all);
    merged.finish();
    file.commit();
    merged_ = all.size(), grid_ = merged.header().grid;
}

/// Bursts of all swaths.
void Merging::merge_on_map() {
    std::vector<std::string> remarks;
    const MapRequest asked = options_of(job_, remarks).map.value();
    std::vector<PlannedBurst> all = planned();
    std::vector<std::string> swaths;
    std::vector<SeenArea> whole;
    for (const PlannedBurst& burst : all) {
        swaths.push_back(burst.swath);
        whole.push_back(whole_area(burst.header));
    }
    const std::vector<SeenArea> own = parted(swaths, std::move(whole));
    const std::vector<std::optional<MapGrid>> parts = parts_of_map(asked, all);
    std::vector<PlannedBurst> seen;
    std::vector<BurstOnMap> on_map;
    std::vector<MapGrid> grids;
    const std::size_t refused_before = refused_.size();
    plan_at_once(all.size(), [&](std::size_t i) {
        if (parts[i]) all[i].plan_on(*parts[i], devices_);
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
        PlannedBurst& burst = all[i];
        if (!burst.refusal.empty()) leave_out({burst.name, burst.refusal});
        if (!parts[i] || !burst.refusal.empty()) continue;
        const MapView& map = burst.setup.image.map.value();
        on_map.push_back({.header = burst.header,
                          .seen = map.seen,
                          .places = GridPlaces(map, burst.setup.image.geometry->track()),
                          .own = own[i]});
        grids.push_back(*parts[i]);
        seen.push_back(std::move(burst));
    }
    if (refused_.size() > refused_before) return merge_on_map();  // others share their ground
    if (seen.empty()) throw InputError("--merge: no burst lies on the map; check the bounds of the grid");
    FocusOutputs file = outputs();
    WatchedSink watched(file);
    MergedMap merged(std::move(on_map), asked.grid.value_or(map_of_all(grids)),
                     std::filesystem::path(job_.output).parent_path(), watched);
    focus_into(merged, watched, seen);
    merged.finish();
    file.commit();
    merged_ = seen.size(), grid_ = merged.header().grid;
}

/// Throws InputError where all of them are refused.
int merge_swaths(const FocusJob& job, const std::vector<FocusJob>& bursts, std::span<Device* const> devices) {
    std::vector<std::string> swaths;
    std::vector<Refusal> refused;
    for (const FocusJob& burst : bursts)
        if (swaths.empty() || swaths.back() != burst.frames.swath) swaths.push_back(burst.frames.swath);
    std::size_t done = 0;
    for (const std::string& swath : swaths) {
        std::vector<FocusJob> own;
        std::copy_if(bursts.begin(), bursts.end(), std::back_inserter(own),
                     [&](const FocusJob& burst) { return burst.frames.swath == swath; });
        try {
            Merging(job.frames.swath.empty() ? named_after(job, swath) : job, std::move(own), devices).run();
            ++done;
        } catch (const InputError& error) {
            refused.push_back({swath, error.what()});
        } catch (const Interrupted&) {
            throw interrupted_after(done, swaths.size(), "sub-swath");
        }
    }
    if (refused.size() == swaths.size()) throw InputError(refused.front().reason);
    return tell_refusals(refused, swaths.size(), "sub-swath");
}

}  // namespace

std::vector<FocusJob> jobs_of_bursts(const FocusJob& job) {
    const FrameOptions& asked = job.frames;
    if (is_nisar(job.input) || (!asked.swath.empty() && burst_number(asked))) return {job};
    const RawContents contents = list_raw(job.input);
    const std::optional<std::int64_t> number = burst_number(asked);
    const auto kept = std::make_shared<KeptOfFile>();
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

int focus_merged(const FocusJob& job, std::vector<FocusJob> bursts, std::span<Device* const> devices) {
    check_merged(job);
    if (bursts.size() < 2)
        throw InputError(fmt::format("--merge: {} holds no two bursts as they are asked for; leave it out", job.input));
    const GivenTracks tracks(job.image);
    for (FocusJob& burst : bursts) burst.tracks = tracks;
    if (job.grid.empty()) return merge_swaths(job, bursts, devices);
    Merging(job, std::move(bursts), devices).run();
    return exit_code::success;
}

}  // namespace cornerturn
