// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/focus_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/console.h"
#include "app/log.h"
#include "app/verbs/cpu_imager.h"
#include "app/verbs/focus_outputs.h"
#include "app/verbs/focus_report_html.h"
#include "app/verbs/opened_frames.h"
#include "app/verbs/precision_check.h"
#include "data/files/disk_rate.h"
#include "data/files/sha256.h"
#include "data/files/unfinished.h"
#include "data/hdf5/stage_dump.h"
#include "data/raw_file.h"
#include "kernels/device/device_bench.h"
#include "kernels/errors.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/ranks/agreement.h"
#include "pipeline/ranks/focus_over_ranks.h"
#include "pipeline/ranks/plain_data.h"
#include "pipeline/run/autofocus.h"
#include "pipeline/run/device_shares.h"
#include "pipeline/run/focus.h"
#include "pipeline/run/frame_work.h"

namespace cornerturn {
namespace {

/// A job, and who does it.
struct RunningJob {
    const FocusJob& job;
    std::span<Device* const> devices;
    Ranks& ranks;
    const Progress& progress;
};

/// What is told of several devices, as if they were one.
DeviceInfo info_of_all(std::span<Device* const> devices) {
    DeviceInfo all = devices.front()->info();
    for (const Device* device : devices.subspan(1)) {
        const DeviceInfo info = device->info();
        all.name += "," + info.name;
        all.memory_free_bytes = std::min(all.memory_free_bytes, info.memory_free_bytes);
    }
    return all;
}

std::vector<FocusSetup> setups_of(const OpenedFrames& frames, const FocusOptions& options,
                                  std::span<Device* const> devices, int ranks) {
    const std::vector<EchoSource*> sources = frames.pointers();
    if (ranks > 1) return plan_over_ranks(ranks, *devices.front(), sources, options);
    return set_up_frames(devices, acquisitions_of(sources), options);
}

void write_setups(const FocusJob& o, const OpenedFrames& frames, const FocusOptions& options, const DeviceInfo& device,
                  std::span<const FocusSetup> setups) {
    std::vector<std::string> warnings = frames.warnings;
    nlohmann::json planned = nlohmann::json::array();
    for (std::size_t i = 0; i < setups.size(); ++i) {
        warnings.insert(warnings.end(), setups[i].warnings.begin(), setups[i].warnings.end());
        planned.push_back(planned_json(frames.sources[i]->acquisition(), setups[i], options));
    }
    nlohmann::json plan{
        {"input", o.input}, {"device", device_json(device)}, {"frames", planned}, {"warnings", warnings}};
    o.tracks.tell(plan);
    o.json.write(plan);
}

void print_setups(const OpenedFrames& frames, const FocusOptions& options, std::span<Device* const> devices, int ranks,
                  std::span<const FocusSetup> setups) {
    for (std::size_t i = 0; i < setups.size(); ++i) {
        fmt::print("{}{}", i > 0 ? "\n" : "",
                   setup_text(frames.sources[i]->acquisition(), setups[i], options, info_of_all(devices)));
    }
    if (devices.size() > 1) fmt::print("\n{}", shares_text(setups, info_of_all(devices).name, devices.size()));
    if (ranks > 1) fmt::print("\n{}", ranks_text(setups, ranks));
}

FrameObserver stage_observer(const FocusJob& o, const OpenedFrames& frames, const FileNames& taken, Device& device) {
    if (o.stage_folder.empty()) return {};
    return [&, folder = o.stage_folder](const Acquisition& frame) {
        const bool only = frames.sources.size() == 1;
        return stage_dump(only ? folder : fmt::format("{}/{}-{}", folder, frame.frequency, frame.polarization), device,
                          [&](const std::string& path) {
                              check_is_free(taken, path);
                              if (o.of_batch) check_is_free(*o.of_batch, path);
                          });
    };
}

/// What the image follows from but input and device.
RunFacts facts_of(const FocusJob& o, const FocusOptions& options) {
    RunFacts facts = parameter_facts(o.compress, options);
    add_track_facts(o.image.track, o.image.reference_track, facts);
    add_part_facts(o.frames.part, facts);
    if (o.descalloping != "none")
        facts.emplace_back("--descalloping",
                           o.has_pattern_file() ? "SHA-256 " + sha256_of_file(o.descalloping) : "aperture");
    return facts;
}

/// Without what cannot be measured (a disk that the image has filled): the job is done all the same.
MachineRates machine_rates(const FocusJob& o, Device& device) {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    MachineRates rates;
    const auto measure = [](const std::function<void()>& one) {
        try {
            one();
        } catch (const DeviceError& error) {
            log_warning("--measure-rates: {}; the report goes without", error.what());
        }
    };
    measure([&] { rates.bus = device.bench().bus_rate(bytes / 4); });
    measure([&] { rates.disk_read = plain_read_rate(o.input, bytes); });
    measure([&] { rates.disk_write = plain_write_rate(o.output, bytes); });
    return rates;
}

void measure_precision(const RunningJob& running, FocusOptions options, std::span<Device* const> devices,
                       FocusRun& run) {
    const FocusJob& o = running.job;
    const TimelineSpan span(options.timeline.get(), lane::compute, "compare with full precision");
    options = without_timeline(std::move(options));
    options.lowering.chain = run.frames.front().setup.memory.lowering.chain;  // with the same transforms
    options.lowering.precision = Precision::full;
    OpenedFrames again(o, options);
    again.refine(o, options);
    again.take_part(o, options);
    const std::vector<double> ratios_db =
        signal_to_error_db(devices, again.pointers(), options, o.output, running.progress);
    for (std::size_t i = 0; i < ratios_db.size(); ++i) {
        const Acquisition& frame = run.frames[i].acquisition;
        if (ratios_db[i] == INFINITY) {
            log_info("{} {}: the image of full precision, bit for bit", frame.frequency, frame.polarization);
            continue;
        }
        run.frames[i].signal_to_error_db = ratios_db[i];
        log_info("{} {}: {:.1f} dB of signal to error against full precision", frame.frequency, frame.polarization,
                 ratios_db[i]);
    }
}

/// An interruption leaves no image, but an unfinished file that was asked for, and the stages that were dumped before.
void form_images(const RunningJob& running, const OpenedFrames& frames, const FileNames& taken, FocusOptions options,
                 FocusOutputs& outputs, FocusRun& run) try {
    const FocusJob& o = running.job;
    const std::span<Device* const> devices = running.devices;
    Ranks& ranks = running.ranks;
    const std::vector<EchoSource*> sources = frames.pointers();
    std::vector<DeviceInfo> infos;
    for (const Device* device : devices) infos.push_back(device->info());
    RunFacts facts = run_facts(o.input, infos, facts_of(o, options));
    const std::optional<ResumeState> then = noted_state(o, facts);
    if (then && then->block_rows.size() == sources.size()) options.block_rows_of_frames = then->block_rows;
    const auto planned = [&](std::span<const FocusSetup> setups) {
        add_plan_facts(sources, setups, facts);
        return o.resume ? keep_or_go_on(o, then, facts, setups, outputs.resumable())
                        : std::vector<std::int64_t>(setups.size());
    };
    if (ranks.alone()) {
        SharedFocus done = focus_frames(devices, sources, options, outputs, running.progress,
                                        stage_observer(o, frames, taken, *devices.front()), planned);
        run.frames = std::move(done.frames);
        run.devices = std::move(done.devices);
    } else {
        const GatheredJob gathered{.file = outputs, .planned = planned, .interrupted = remove_unfinished};
        SharedReports reports =
            focus_over_ranks(ranks, *devices.front(), sources, options, &gathered, running.progress);
        run.frames = std::move(reports.frames);
        run.ranks = std::move(reports.ranks);
    }
    for (const FocusReport& frame : run.frames) log_warnings(frame.warnings);
    together(ranks, [&] {
        StageClock clock;
        outputs.commit();
        run.close_s = clock.lap();
        run.products = outputs.written();
    });
} catch (const Interrupted&) {
    const FocusJob& o = running.job;
    if (o.resume)
        throw Interrupted(fmt::format(
            "{} is not finished; the same command, with --resume, goes on behind the last azimuth block", o.output));
    if (o.stage_folder.empty()) throw;
    throw Interrupted(fmt::format("no image was written; the stages that were complete are in {}", o.stage_folder));
}

/// Without those that were lost; shares are not told of ranks, each of which has one.
std::vector<Device*> working(std::span<Device* const> devices, const std::vector<DeviceShare>& shares) {
    if (shares.empty()) return {devices.begin(), devices.end()};
    std::vector<Device*> left;
    for (std::size_t i = 0; i < shares.size(); ++i)
        if (shares[i].lost.empty()) left.push_back(devices[i]);
    return left;
}

/// The same on all ranks, found on the first.
void share_autofocus(const RunningJob& running, OpenedFrames& frames, FocusOptions& options,
                     std::optional<AutofocusReport>& found) {
    if (options.autofocus == Autofocus::none) return;
    Ranks& ranks = running.ranks;
    together(ranks, [&] {
        if (ranks.leads()) {
            found = frames.autofocus(running.job, running.devices, running.progress, options);
            log_info("{}", autofocus_line(*found));
        }
    });
    if (ranks.alone()) return;
    AutofocusRecord record = options.autofocused.value_or(AutofocusRecord{});
    bool taken = found && found->rms_rad > 0;
    PlainWriter told;
    told << taken << record.method << record.first_time_s << record.time_spacing_s << record.times_s
         << record.phase_rad;
    const auto bytes = from_first(ranks, told.take());
    if (ranks.leads()) return;
    PlainReader(bytes) >> taken >> record.method >> record.first_time_s >> record.time_spacing_s >> record.times_s >>
        record.phase_rad;
    if (taken) frames.take_away(record);
    options.autofocused = std::move(record);
}

/// The same on all ranks, asked on the first, and lines fine enough for it.
void look_at_data(const FocusJob& o, Ranks& ranks, OpenedFrames& frames, FocusOptions& options) {
    options = with_estimates(ranks, *frames.sources.front(), options, cpu_imager(o.threads));
    together(ranks, [&] {
        frames.refine(o, options);
        frames.take_part(o, options);
    });
}

/// The image is there by now, whatever becomes of the report.
void report(const RunningJob& running, const FocusOptions& options, FocusRun& run) try {
    const FocusJob& o = running.job;
    const std::vector<Device*> devices = working(running.devices, run.devices);
    const bool rounded = options.lowering.precision != Precision::full;
    if (rounded && product_format_of(o.output) == ProductFormat::nisar)
        measure_precision(running, options, devices, run);
    else if (rounded)
        log_warning("{}: only HDF5 images are read again, so that the report goes without the signal-to-error ratio",
                    o.output);
    {
        const TimelineSpan span(options.timeline.get(), lane::output, "SHA-256 of files");
        add_sums(run.products);
    }
    if (o.measure_rates) run.rates = machine_rates(o, *devices.front());
    run.timeline = {.lanes = options.timeline->lanes(), .wall_s = options.timeline->now_s()};
    if (is_html_report(o.report)) write_html_report(o.report, run);
    const nlohmann::json told = focus_json(run);
    if (is_json_report(o.report)) JsonOutput{o.report}.write(told);
    o.json.write(told);
} catch (const Interrupted&) {
    throw Interrupted(fmt::format("{} was written, its report was not", running.job.output));
}

std::string parameters_text(const RunFacts& parameters) {
    std::string text;
    for (const auto& [name, value] : parameters) text += fmt::format("{}={}\n", name, value);
    return text;
}

}  // namespace

FocusTask::FocusTask(FocusJob job, std::shared_ptr<Timeline> timeline) : job_(std::move(job)) {
    std::vector<std::string> remarks;
    options_ = options_of(job_, remarks);
    options_.timeline = std::move(timeline);
    log_warnings(remarks);
    check_files(job_, {job_.png});
    job_.tracks = GivenTracks(job_.image);
    parameters_ = facts_of(job_, options_);
    if (product_format_of(job_.output) == ProductFormat::geotiff) parameters_.emplace_back("--tiff", job_.tiff);
    parameters_.emplace_back("--sample-type", job_.sample_type);
    parameters_.emplace_back("--autofocus", name_of(options_.autofocus));
    parameters_.emplace_back("--frequency", job_.frames.frequency);
    parameters_.emplace_back("--polarization", job_.frames.polarization);
    parameters_.emplace_back("--channel", job_.frames.channel);
    const ToldDelay told = told_delay(job_.image);
    parameters_.emplace_back("the delay that the file tells", told == ToldDelay::remove ? "taken off"
                                                              : told == ToldDelay::keep ? "kept"
                                                                                        : "as the samples show");
    parameters_sha256_ = sha256_of(parameters_text(parameters_));
}

void FocusTask::require_input() const {
    const TimelineSpan span(options_.timeline.get(), lane::input, "look at it");
    for (const FrameSelection& selection : choose_frames(job_.input, job_.frames)) {
        std::vector<std::string> said_later;
        FocusOptions options = options_;
        job_.tracks.apply(open_raw(job_.input, selection, said_later), options, said_later);
    }
}

void FocusTask::print_plan(std::span<Device* const> devices, int ranks) const {
    FocusOptions options = options_;
    options.weigh_all = true;
    OpenedFrames frames(job_, options);
    look_at_data(job_, *one_rank(), frames, options);
    log_warnings(frames.warnings);
    const std::vector<FocusSetup> setups = setups_of(frames, options, devices, ranks);
    for (const FocusSetup& setup : setups) log_warnings(setup.warnings);
    if (!job_.json.instead_of_text()) print_setups(frames, options, devices, ranks, setups);
    write_setups(job_, frames, options, info_of_all(devices), setups);
}

/// Whatever is done `together` here is done so by `help`, too.
FocusRun FocusTask::run(std::span<Device* const> devices, const Progress& progress, double open_device_s,
                        const std::string& input_sha256, Ranks& ranks) const {
    const RunningJob running{job_, devices, ranks, progress};
    StageClock clock, whole;
    FocusOptions options = options_;
    if (!options.timeline) options.timeline = std::make_shared<Timeline>();
    Timeline* const timeline = options.timeline.get();
    std::optional<OpenedFrames> opened;
    std::vector<std::string> pictures;
    FileNames taken;
    together(ranks, [&] {
        const TimelineSpan span(timeline, lane::input, "open");
        opened.emplace(job_, options);
        if (!job_.png.empty()) pictures = opened->paths(job_.png);
        taken = check_files(job_, pictures);
    });
    OpenedFrames& frames = *opened;
    const double open_file_s = clock.lap();
    {
        const TimelineSpan span(timeline, lane::plan, "look at the data");
        look_at_data(job_, ranks, frames, options);
    }
    log_warnings(frames.warnings);
    const double estimate_s = clock.lap();
    std::optional<AutofocusReport> autofocused;
    if (options.autofocus != Autofocus::none) {
        const TimelineSpan span(timeline, lane::compute, "autofocus");
        share_autofocus(running, frames, options, autofocused);
    }
    FocusRun run{.input = job_.input,
                 .output = job_.output,
                 .options = options,
                 .device = info_of_all(devices),
                 .tracks = job_.tracks,
                 .frames = {},
                 .autofocus = std::move(autofocused),
                 .warnings = frames.warnings,
                 .rates = {},
                 .products = {}};
    run.open_device_s = open_device_s;
    run.open_file_s = open_file_s + clock.lap();

    FocusOutputs outputs(job_, frames.sources.size(), options.map.has_value(), pictures, options.timeline);
    outputs.set_origin({.parameters_sha256 = parameters_sha256_,
                        .input_sha256 = input_sha256,
                        .input_names = {granule_name(job_.input)},
                        .parameters = parameters_text(parameters_)});
    form_images(running, frames, taken, options, outputs, run);
    if (options.estimates.doppler || options.estimates.velocity) {
        run.frames.front().add({"data_estimates", estimate_s});
        run.frames.front().wall_s += estimate_s;
    }
    run.wall_s = whole.total();
    run.written_bytes = outputs.written_bytes();
    together(ranks, [&] {
        if (!job_.report.empty() || job_.json.asked()) report(running, options, run);
    });
    return run;
}

void FocusTask::help(std::span<Device* const> devices, Ranks& ranks) const {
    FocusOptions options = options_;
    std::optional<OpenedFrames> frames;
    std::optional<AutofocusReport> none;
    const Progress untold;
    together(ranks, [&] { frames.emplace(job_, options); });
    look_at_data(job_, ranks, *frames, options);
    share_autofocus({job_, devices, ranks, untold}, *frames, options, none);
    focus_over_ranks(ranks, *devices.front(), frames->pointers(), options, nullptr);
    const auto wait = [] {};
    together(ranks, wait);  // for the image
    together(ranks, wait);  // for the report
}

void add_sums(std::vector<StoredFile>& files) {
    for (StoredFile& file : files)
        if (file.sha256.empty()) file.sha256 = sha256_of_file(file.path);
}

}  // namespace cornerturn
