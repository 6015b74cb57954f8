// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/focus_job.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/console.h"
#include "app/number.h"
#include "app/verb.h"
#include "app/verbs/focus_report_html.h"
#include "app/verbs/precision_check.h"
#include "data/files/disk_rate.h"
#include "data/files/output_file.h"
#include "data/files/sha256.h"
#include "data/files/unfinished.h"
#include "data/hdf5/stage_dump.h"
#include "data/map_grid_file.h"
#include "data/nisar/gslc_writer.h"
#include "data/nisar/rslc_writer.h"
#include "data/picture/quicklook.h"
#include "data/raw_file.h"
#include "kernels/device_bench.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/map_projection.h"
#include "pipeline/ranks/agreement.h"
#include "pipeline/ranks/focus_over_ranks.h"
#include "pipeline/ranks/plain_data.h"
#include "pipeline/run/autofocus.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/device_shares.h"
#include "pipeline/run/finer_echo.h"
#include "pipeline/run/focus.h"
#include "pipeline/run/phased_echo.h"
#include "pipeline/run/reference_echo.h"
#include "pipeline/run/stage_clock.h"

namespace cornerturn {
namespace {

std::optional<MapRequest> map_request(const FocusJob& o) {
    if (o.grid.empty()) {
        if (o.spacing)
            throw InputError(fmt::format(
                "--spacing {}: is of the pixels of a map; give --grid utm, geographic or local", *o.spacing));
        return std::nullopt;
    }
    if (is_map_name(o.grid)) {
        MapRequest request{.projection = map_projection_named(o.grid), .spacing_m = 0, .grid = {}};
        if (!o.spacing)
            throw InputError(fmt::format("--grid {}: how large are its pixels? Give --spacing METRES", o.grid));
        request.spacing_m = parse_number("--spacing", *o.spacing);
        if (!(request.spacing_m > 0)) throw InputError(fmt::format("--spacing {}: must be above 0, in m", *o.spacing));
        return request;
    }
    if (std::filesystem::exists(o.grid)) {
        if (o.spacing) throw InputError(fmt::format("--spacing {}: {} has its own; leave it out", *o.spacing, o.grid));
        return MapRequest{.projection = {}, .spacing_m = 0, .grid = read_map_grid(o.grid)};
    }
    if (o.grid.ends_with(".yaml") || o.grid.ends_with(".h5") || o.grid.ends_with(".tif"))
        throw InputError(fmt::format("--grid {}: there is no such file", o.grid));
    map_projection_named(o.grid);  // says which names there are
    throw std::logic_error("a map that is_map_name does not know");
}

FocusOptions options_of(const FocusJob& o) {
    FocusOptions options = focus_options(o.image);
    options.memory.share = o.memory_share;
    options.map = map_request(o);
    if (o.measure_rates && o.report.empty() && !o.json.asked())
        throw InputError("--measure-rates: stands in the report; give --json or --report FILE, or leave it out");
    if (!o.report.empty() && !is_html_report(o.report) && !is_json_report(o.report))
        throw InputError(
            fmt::format("--report {}: a page's name ends in .html; what is for programs is --json", o.report));
    if (options.map && o.image.reference_track)
        throw InputError(
            fmt::format("--reference-track {}: is of rows of zero Doppler, which a map has not; leave it or "
                        "--grid out",
                        *o.image.reference_track));
    if (options.map && o.resume) throw InputError("--resume: does not go with --grid; leave one of them out");
    if (options.lowering.precision != Precision::full && !o.stage_folder.empty())
        throw InputError(
            fmt::format("--dump-stages: with --precision {} there are no stages that could be written; choose full",
                        o.image.precision));
    if (options.autofocus == Autofocus::none) return options;
    if (o.resume)
        throw InputError(
            "--resume: does not go with --autofocus, whose phases would have to be found anew; leave one of them out");
    if (options.lowering.precision != Precision::full)
        throw InputError(fmt::format(
            "--precision {}: does not go with --autofocus, as it has no pass for phases of lines; choose full",
            o.image.precision));
    return options;
}

/// Throws InputError where a file is another's, too.
void check_is_free(const FileNames& taken, const std::string& path) {
    if (const auto* same = taken.find(path))
        throw InputError(fmt::format("{}: would be written over {}{}; give it another name", path, same->path,
                                     same->by.empty() ? "" : fmt::format(" of {}", same->by)));
}

/// Nothing is computed before every output is known to be writable. What else is written must leave these files alone.
FileNames check_files(const FocusJob& o, const std::vector<std::string>& pictures) {
    std::vector<std::string> outputs{o.output, o.report, o.json.file()};
    outputs.insert(outputs.end(), pictures.begin(), pictures.end());
    if (o.of_batch)
        for (const std::string& picture : pictures)
            if (picture != o.png) check_is_free(*o.of_batch, picture);
    return check_outputs(outputs, o.inputs());
}

/// The image file, and pictures for later.
class Outputs final : public ImageSink {
public:
    Outputs(const FocusJob& o, std::size_t frames, std::vector<std::string> pictures)
        : path_(o.output), pictures_(std::move(pictures)), threads_(o.threads) {
        const ImageStorage storage{.compression = o.compress, .threads = o.threads};
        if (o.grid.empty()) {
            auto rslc = std::make_unique<RslcFile>(path_, frames, storage);
            rslc_ = rslc.get();
            file_ = std::move(rslc);
        } else {
            file_ = std::make_unique<GslcFile>(path_, frames, storage);
        }
    }

    void begin(const Image& header) override {
        file_->begin(header);
        if (pictures_.empty()) return;
        quicklooks_.emplace_back(QuicklookOptions{.threads = threads_}).begin(header);
        if (rows_there() > 0) resumable().pass_rows_there(quicklooks_.back());
    }
    std::int64_t rows_there() const override { return file_->rows_there(); }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        file_->write(first_row, rows);
        if (!pictures_.empty()) quicklooks_.back().write(first_row, rows);
    }
    void block_done() override { file_->block_done(); }
    void commit() {
        file_->commit();
        for (std::size_t i = 0; i < pictures_.size(); ++i) write_png(pictures_[i], quicklooks_[i].picture());
    }
    std::vector<StoredFile> written() const {
        std::vector<StoredFile> files{stored_file(path_)};
        for (const std::string& picture : pictures_) files.push_back(stored_file(picture));
        return files;
    }
    std::uint64_t written_bytes() const { return file_->written_bytes(); }
    /// Of an RSLC file, else nullptr.
    RslcFile* rslc() { return rslc_; }
    RslcFile& resumable() {
        if (rslc_ == nullptr) throw InputError("--resume: only RSLC files can be continued; leave it out");
        return *rslc_;
    }

private:
    std::string path_;
    std::unique_ptr<ImageFile> file_;
    RslcFile* rslc_ = nullptr;
    std::vector<std::string> pictures_;
    int threads_;
    std::vector<QuicklookSink> quicklooks_;
};

/// The frames that were asked for, opened, with lines in equal steps; what is told of several is told once.
struct Frames {
    std::vector<FrameSelection> selections;
    std::vector<std::unique_ptr<EchoSource>> opened, sources;  ///< as recorded; as they go through
    std::vector<std::string> warnings;

    /// `options` learn what only the echo and its track tell.
    Frames(const FocusJob& o, FocusOptions& options) : selections(choose_frames(o.input, o.frames)) {
        for (FrameSelection& selection : selections) {
            selection.threads = o.threads;
            std::vector<std::string> doubts;
            auto echo = o.tracks.apply(open_raw(o.input, selection, doubts), options, doubts);
            go_through(on_even_lines(*echo, options, o.threads, &doubts), echo);
            sources.push_back(std::move(echo));
            warn_once(std::move(doubts));
        }
    }
    /// Lines fine enough for what such options make of them, which hold what the data of the first frame say.
    void refine(const FocusJob& o, const FocusOptions& options) {
        const Acquisition first = sources.front()->acquisition();
        std::vector<std::string> doubts;
        for (auto& echo : sources) {
            const FocusOptions of_frame =
                echo == sources.front()
                    ? options
                    : options_beside(first, doppler_by(first, options, options.height_m), echo->acquisition(), options);
            go_through(on_finer_samples(*echo, of_frame, o.threads, &doubts), echo);
        }
        warn_once(std::move(doubts));
    }
    void warn_once(std::vector<std::string> doubts) {
        for (std::string& doubt : doubts)
            if (std::find(warnings.begin(), warnings.end(), doubt) == warnings.end())
                warnings.push_back(std::move(doubt));
    }
    void go_through(std::unique_ptr<EchoSource> changed, std::unique_ptr<EchoSource>& echo) {
        if (!changed) return;
        opened.push_back(std::move(echo));
        echo = std::move(changed);
    }
    /// What was found in the first frame, off the lines of all.
    void take_away(const AutofocusRecord& found) {
        const Acquisition first = sources.front()->acquisition();
        for (auto& source : sources) {
            auto phased = std::make_unique<PhasedEcho>(*source, phases_for(found, first, source->acquisition()));
            opened.push_back(std::move(source));
            source = std::move(phased);
        }
    }
    std::vector<EchoSource*> pointers() const {
        std::vector<EchoSource*> pointers;
        for (const auto& source : sources) pointers.push_back(source.get());
        return pointers;
    }
    std::vector<std::string> paths(const std::string& path) const {
        if (path.empty() || sources.size() == 1) return {path};
        std::vector<std::string> paths;
        for (const auto& source : sources)
            paths.push_back(path_of_frame(path, source->acquisition().frequency, source->acquisition().polarization));
        return paths;
    }
};

/// All of them, as one is told of.
DeviceInfo together(std::span<Device* const> devices) {
    DeviceInfo all = devices.front()->info();
    for (const Device* device : devices.subspan(1)) {
        const DeviceInfo info = device->info();
        all.name += "," + info.name;
        all.memory_free_bytes = std::min(all.memory_free_bytes, info.memory_free_bytes);
    }
    return all;
}

std::vector<FocusSetup> planned(const Frames& frames, const FocusOptions& options, std::span<Device* const> devices,
                                int ranks) {
    const std::vector<EchoSource*> sources = frames.pointers();
    if (ranks > 1) return plan_over_ranks(ranks, *devices.front(), sources, options);
    std::vector<const Acquisition*> acquisitions;
    for (const EchoSource* source : sources) acquisitions.push_back(&source->acquisition());
    return set_up_frames(devices, acquisitions, options);
}

void write_setups(const FocusJob& o, const Frames& frames, const FocusOptions& options, const DeviceInfo& device,
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

void print_setups(const Frames& frames, const FocusOptions& options, std::span<Device* const> devices, int ranks,
                  std::span<const FocusSetup> setups) {
    for (std::size_t i = 0; i < setups.size(); ++i) {
        fmt::print("{}{}", i > 0 ? "\n" : "",
                   setup_text(frames.sources[i]->acquisition(), setups[i], options, together(devices)));
    }
    if (devices.size() > 1) fmt::print("\n{}", shares_text(setups, together(devices).name, devices.size()));
    if (ranks > 1) fmt::print("\n{}", ranks_text(setups, ranks));
}

FrameObserver stage_observer(const FocusJob& o, const Frames& frames, const FileNames& taken, Device& device) {
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

/// Without what cannot be measured (a disk that the image has filled): the job is done all the same.
MachineRates machine_rates(const FocusJob& o, Device& device) {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    MachineRates rates;
    const auto measure = [](const std::function<void()>& one) {
        try {
            one();
        } catch (const DeviceError& error) {
            spdlog::warn("--measure-rates: {}; the report goes without", error.what());
        }
    };
    measure([&] { rates.bus = device.bench().bus_rate(bytes / 4); });
    measure([&] { rates.disk_read = plain_read_rate(o.input, bytes); });
    measure([&] { rates.disk_write = plain_write_rate(o.output, bytes); });
    return rates;
}

void measure_precision(const FocusJob& o, FocusOptions options, std::span<Device* const> devices,
                       const Progress& progress, FocusRun& run) {
    options.lowering.chain = run.frames.front().setup.memory.lowering.chain;  // with the same transforms
    options.lowering.precision = Precision::full;
    Frames again(o, options);
    again.refine(o, options);
    const std::vector<double> ratios_db = signal_to_error_db(devices, again.pointers(), options, o.output, progress);
    for (std::size_t i = 0; i < ratios_db.size(); ++i) {
        run.frames[i].signal_to_error_db = ratios_db[i];
        spdlog::info("{} {}: {:.1f} dB of signal to error against full precision", run.frames[i].acquisition.frequency,
                     run.frames[i].acquisition.polarization, ratios_db[i]);
    }
}

/// What an earlier run like this one noted of its unfinished file.
std::optional<ResumeState> noted_state(const FocusJob& o, const RunFacts& facts) {
    const std::string unfinished = unfinished_name(o.output);
    if (!o.resume || !std::filesystem::exists(unfinished)) return std::nullopt;
    auto state = read_resume_state(unfinished);
    if (!state)
        spdlog::warn("{}: nothing tells how far it has come (the run ended while it was changed); starting afresh",
                     unfinished);
    if (state) check_same_run(o.output, state->facts, facts);
    return state;
}

/// Goes on with the unfinished file of an earlier run, if that is one like this, else begins one that is kept. Rows of
/// each image that are there.
std::vector<std::int64_t> keep_or_go_on(const FocusJob& o, const std::optional<ResumeState>& then, const RunFacts& now,
                                        std::span<const FocusSetup> setups, RslcFile& file) {
    if (then) {
        check_same_run(o.output, then->facts, now);
        try {
            file.go_on(*then);
            spdlog::info("{}: going on with image {} of {} at row {}", o.output, then->images.size(), setups.size(),
                         then->rows);
            std::vector<std::int64_t> rows(setups.size());
            for (std::size_t i = 0; i < std::min(rows.size(), then->images.size()); ++i)
                rows[i] = i + 1 < then->images.size() ? setups[i].image.grid.rows : then->rows;
            return rows;
        } catch (const DeviceError& error) {
            spdlog::warn("{}; starting afresh", error.what());
        }
    }
    std::vector<std::int64_t> block_rows;
    for (const FocusSetup& setup : setups) block_rows.push_back(setup.memory.blocks.front().rows);
    file.keep_unfinished(now, std::move(block_rows));
    return std::vector<std::int64_t>(setups.size());
}

/// An interruption leaves no image, but an unfinished file that was asked for, and the stages that were dumped before.
void form_images(const FocusJob& o, const Frames& frames, const FileNames& taken, FocusOptions options,
                 std::span<Device* const> devices, Ranks& ranks, const Progress& progress, Outputs& outputs,
                 FocusRun& run) try {
    const std::vector<EchoSource*> sources = frames.pointers();
    std::vector<DeviceInfo> infos;
    for (const Device* device : devices) infos.push_back(device->info());
    RunFacts facts = run_facts(o.input, o.compress, infos, options);
    add_track_facts(o.image.track, o.image.reference_track, facts);
    const std::optional<ResumeState> then = noted_state(o, facts);
    if (then && then->block_rows.size() == sources.size()) options.block_rows_of_frames = then->block_rows;
    const auto planned = [&](std::span<const FocusSetup> setups) {
        add_plan_facts(sources, setups, facts);
        return o.resume ? keep_or_go_on(o, then, facts, setups, outputs.resumable())
                        : std::vector<std::int64_t>(setups.size());
    };
    if (ranks.alone()) {
        SharedFocus done = focus_frames(devices, sources, options, outputs, progress,
                                        stage_observer(o, frames, taken, *devices.front()), planned);
        run.frames = std::move(done.frames);
        run.devices = std::move(done.devices);
    } else {
        const GatheredJob gathered{.file = outputs, .planned = planned, .interrupted = remove_unfinished};
        SharedReports reports = focus_over_ranks(ranks, *devices.front(), sources, options, &gathered, progress);
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
    if (o.resume)
        throw Interrupted(fmt::format(
            "{} is not finished; the same command, with --resume, goes on behind the last azimuth block", o.output));
    if (o.stage_folder.empty()) throw;
    throw Interrupted(fmt::format("no image was written; the stages that were complete are in {}", o.stage_folder));
}

/// The echo of the first frame tells it for all.
AutofocusReport autofocus(const FocusJob& o, std::span<Device* const> devices, const Progress& progress, Frames& frames,
                          FocusOptions& options) {
    if (frames.sources.front()->acquisition().local_track)
        throw InputError(
            "--autofocus: looks at images on the zero-Doppler grid, which a track in a frame of the scene's own has "
            "not; leave it "
            "out");
    FocusOptions on_zero_doppler = options;
    on_zero_doppler.map.reset();
    AutofocusReport report = find_line_phases(devices, *frames.sources.front(), on_zero_doppler, o.threads, progress);
    spdlog::info("{}", autofocus_line(report));
    if (report.rms_rad > 0) frames.take_away(report.record);
    options.autofocused = report.record;
    return report;
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
void share_autofocus(const FocusJob& o, std::span<Device* const> devices, Ranks& ranks, const Progress& progress,
                     Frames& frames, FocusOptions& options, std::optional<AutofocusReport>& found) {
    if (options.autofocus == Autofocus::none) return;
    together(ranks, [&] {
        if (ranks.leads()) found = autofocus(o, devices, progress, frames, options);
    });
    if (ranks.alone()) return;
    AutofocusRecord record = options.autofocused.value_or(AutofocusRecord{});
    bool taken = found && found->rms_rad > 0;
    PlainWriter told;
    told << taken << record.method << record.first_time_s << record.time_spacing_s << record.phase_rad;
    const auto bytes = from_first(ranks, told.take());
    if (ranks.leads()) return;
    PlainReader(bytes) >> taken >> record.method >> record.first_time_s >> record.time_spacing_s >> record.phase_rad;
    if (taken) frames.take_away(record);
    options.autofocused = std::move(record);
}

/// The same on all ranks, asked on the first, and lines fine enough for it.
void look_at_data(const FocusJob& o, Ranks& ranks, Frames& frames, FocusOptions& options) {
    options = with_estimates(ranks, *frames.sources.front(), options, o.threads);
    together(ranks, [&] { frames.refine(o, options); });
}

/// The image is there by now, whatever becomes of the report.
void report(const FocusJob& o, const FocusOptions& options, std::span<Device* const> all, const Progress& progress,
            FocusRun& run) try {
    const std::vector<Device*> devices = working(all, run.devices);
    if (options.lowering.precision != Precision::full) measure_precision(o, options, devices, progress, run);
    add_sums(run.products);
    if (o.measure_rates) run.rates = machine_rates(o, *devices.front());
    if (is_html_report(o.report)) write_html_report(o.report, run);
    const nlohmann::json told = focus_json(run);
    if (is_json_report(o.report)) JsonOutput{o.report}.write(told);
    o.json.write(told);
} catch (const Interrupted&) {
    throw Interrupted(fmt::format("{} was written, its report was not", o.output));
}

}  // namespace

std::vector<std::string> FocusJob::inputs() const {
    return {input, image.dem.value_or(""), image.track.path(), image.reference_track.value_or(""),
            is_map_name(grid) ? "" : grid};
}

FocusTask::FocusTask(FocusJob job) : job_(std::move(job)), options_(options_of(job_)) {
    check_files(job_, {job_.png});
    job_.tracks = GivenTracks(job_.image);
    parameters_ = parameter_facts(job_.compress, options_);
    add_track_facts(job_.image.track, job_.image.reference_track, parameters_);
    parameters_.emplace_back("--autofocus", name_of(options_.autofocus));
    parameters_.emplace_back("--frequency", job_.frames.frequency);
    parameters_.emplace_back("--polarization", job_.frames.polarization);
    std::string text;
    for (const auto& [name, value] : parameters_) text += fmt::format("{}={}\n", name, value);
    parameters_sha256_ = sha256_of(text);
}

void FocusTask::require_input() const {
    for (const FrameSelection& selection : choose_frames(job_.input, job_.frames)) {
        std::vector<std::string> said_later;
        FocusOptions options = options_;
        job_.tracks.apply(open_raw(job_.input, selection, said_later), options, said_later);
    }
}

void FocusTask::print_plan(std::span<Device* const> devices, int ranks) const {
    FocusOptions options = options_;
    options.weigh_all = true;
    Frames frames(job_, options);
    look_at_data(job_, *one_rank(), frames, options);
    log_warnings(frames.warnings);
    const std::vector<FocusSetup> setups = planned(frames, options, devices, ranks);
    for (const FocusSetup& setup : setups) log_warnings(setup.warnings);
    if (!job_.json.instead_of_text()) print_setups(frames, options, devices, ranks, setups);
    write_setups(job_, frames, options, together(devices), setups);
}

FocusRun FocusTask::run(std::span<Device* const> devices, const Progress& progress, double open_device_s,
                        const std::string& input_sha256) const {
    return run(devices, *one_rank(), progress, open_device_s, input_sha256);
}

/// Whatever is done `together` here is done so by `help`, too.
FocusRun FocusTask::run(std::span<Device* const> devices, Ranks& ranks, const Progress& progress, double open_device_s,
                        const std::string& input_sha256) const {
    StageClock clock, whole;
    FocusOptions options = options_;
    std::optional<Frames> opened;
    std::vector<std::string> pictures;
    FileNames taken;
    together(ranks, [&] {
        opened.emplace(job_, options);
        if (!job_.png.empty()) pictures = opened->paths(job_.png);
        taken = check_files(job_, pictures);
    });
    Frames& frames = *opened;
    const double open_file_s = clock.lap();
    look_at_data(job_, ranks, frames, options);
    log_warnings(frames.warnings);
    const double estimate_s = clock.lap();
    std::optional<AutofocusReport> autofocused;
    share_autofocus(job_, devices, ranks, progress, frames, options, autofocused);
    FocusRun run{.input = job_.input,
                 .output = job_.output,
                 .options = options,
                 .device = together(devices),
                 .tracks = job_.tracks,
                 .frames = {},
                 .autofocus = std::move(autofocused),
                 .warnings = frames.warnings,
                 .rates = {},
                 .products = {}};
    run.open_device_s = open_device_s;
    run.open_file_s = open_file_s + clock.lap();

    Outputs outputs(job_, frames.sources.size(), pictures);
    if (RslcFile* rslc = outputs.rslc())
        rslc->set_origin({.parameters_sha256 = parameters_sha256_, .input_sha256 = input_sha256});
    form_images(job_, frames, taken, options, devices, ranks, progress, outputs, run);
    if (options.estimates.doppler || options.estimates.velocity) {
        run.frames.front().add({"data_estimates", estimate_s});
        run.frames.front().wall_s += estimate_s;
    }
    run.wall_s = whole.total();
    run.written_bytes = outputs.written_bytes();
    together(ranks, [&] {
        if (!job_.report.empty() || job_.json.asked()) report(job_, options, devices, progress, run);
    });
    return run;
}

void FocusTask::help(std::span<Device* const> devices, Ranks& ranks) const {
    FocusOptions options = options_;
    std::optional<Frames> frames;
    std::optional<AutofocusReport> none;
    together(ranks, [&] { frames.emplace(job_, options); });
    look_at_data(job_, ranks, *frames, options);
    share_autofocus(job_, devices, ranks, {}, *frames, options, none);
    focus_over_ranks(ranks, *devices.front(), frames->pointers(), options, nullptr);
    const auto wait = [] {};
    together(ranks, wait);  // for the image
    together(ranks, wait);  // for the report
}

void add_sums(std::vector<StoredFile>& files) {
    for (StoredFile& file : files)
        if (file.sha256.empty()) file.sha256 = sha256_of_file(file.path);
}

void add_job_options(const Verb& verb, FocusJob& job) {
    add_image_options(verb, job.image);
    add_several_frames_options(verb, job.frames);
    verb.option("--grid", job.grid,
                "Put the image on a map, by back-projection: utm, utm:33n, geographic, epsg:CODE, "
                "local or the grid of "
                "FILE. utm takes the zone of the scene's middle, geographic degrees of WGS84, epsg:CODE a map in "
                "metres, local the "
                "plane z = --height of a track whose positions are in a frame of the scene's own (all pulses are "
                "summed). The map is "
                "at the heights of --dem or --height, over all that the echo covers. FILE is a GSLC or GeoTIFF "
                "whose grid is taken "
                "over, or YAML with projection, bounds: [west, south, east, north] and spacing in the map's units. "
                "Phases are "
                "flattened: a point at a pixel's centre has its own, which is that on the "
                "zero-Doppler grid times exp(+j 4 pi R0 / lambda)")
        .type("MAP|FILE");
    verb.option("--spacing", job.spacing,
                "Of the map's pixels, both ways; in degrees what that is in the scene's middle")
        .type("METRES");
    verb.option(
            "--compress", job.compress,
            "Compression of the image: 0 none, 1 fast to 9 small (shuffle and deflate, which every HDF5 reader undoes)")
        .between(0, 9)
        .shows_default();
    verb.option("--png", job.png, "Also write a picture; of several images SLC.png becomes SLC-A-HH.png ...")
        .names_png();
    verb.option("--report", job.report,
                "Also write a page about the run, with pictures; to *.json what --json writes. It needs no network. Of "
                "half-middle it comes with the signal-to-error ratio, for which it focuses once more")
        .type("FILE.html");
    verb.flag("--measure-rates", job.measure_rates,
              "For the report, measure afterwards what the device's bus and the disk would take, with 64 MiB read "
              "from RAW.h5 and 64 MiB written beside the image for a moment; what cannot be measured is left out");
    verb.option("--dump-stages", job.stage_folder, "Also write the matrix after each stage into this folder (HDF5)");
}

}  // namespace cornerturn
