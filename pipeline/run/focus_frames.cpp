// SPDX-License-Identifier: Apache-2.0
// Frames through the chain, one after the other: lines come in and rows go out while the device computes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "kernels/chebyshev.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/surface_fit.h"
#include "pipeline/estimate/data_parameters.h"
#include "pipeline/run/echo_conveyor.h"
#include "pipeline/run/focus.h"
#include "pipeline/run/sampled_lines.h"
#include "pipeline/run/stage_clock.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {
namespace {

bool has_floating_point_samples(const Acquisition& acquisition) {
    return acquisition.format != SampleFormat::int8 && acquisition.format != SampleFormat::int16;
}

std::string name_of(const Acquisition& acquisition) {
    return fmt::format("frequency {} {}", acquisition.frequency, acquisition.polarization);
}

/// The zero-Doppler grid of an image, or the one that covers its map.
const ImageGrid& seen_grid(const FocusSetup& setup) { return setup.image.map ? setup.image.map->seen : setup.image.grid; }
bool has_zero_doppler(const FocusSetup& setup) { return !setup.image.map || !setup.image.map->free_track; }

/// Height of the ground in the middle of an image.
double middle_height_m(const FocusSetup& setup) {
    if (setup.image.map) {
        const MapGrid& grid = setup.image.map->grid;
        const MapPoint middle{grid.x(0.5 * static_cast<double>(grid.columns - 1)), grid.y(0.5 * static_cast<double>(grid.rows - 1))};
        return setup.image.map->ground->smooth_height_m(middle) + setup.image.map->ground->relief_m(middle);
    }
    const ImageGrid& grid = setup.image.grid;
    return setup.height_m(grid.time_s(0.5 * static_cast<double>(grid.rows - 1)), grid.range_m(0.5 * static_cast<double>(grid.columns - 1)));
}

/// Where the beam's centre lies on the pixels of an image.
SmoothSurface doppler_of_image(const FocusSetup& setup) {
    constexpr int times = 5, ranges = 6;
    const ImageGrid& grid = seen_grid(setup);
    const double last_row = static_cast<double>(std::max<std::int64_t>(2, grid.rows) - 1),
                 last_column = static_cast<double>(std::max<std::int64_t>(2, grid.columns) - 1);
    const SmoothSurface frame{.x_centre = grid.time_s(0.5 * last_row),
                              .x_half = 0.5 * last_row * grid.time_spacing_s,
                              .y_centre = grid.range_m(0.5 * last_column),
                              .y_half = 0.5 * last_column * grid.range_spacing_m};
    std::vector<SurfacePoint> points;
    for (const double u : chebyshev_points(-1, 1, times))
        for (const double v : chebyshev_points(-1, 1, ranges)) {
            const double time_s = frame.x_centre + u * frame.x_half, range_m = frame.y_centre + v * frame.y_half;
            points.push_back({.x = time_s, .y = range_m, .value = setup.geometry->beam_centre(time_s, range_m).centroid_hz});
        }
    return fit_surface(frame, powers_up_to(3, 3), points);
}

ProcessingRecord processing_record(const Acquisition& acquisition, const FocusOptions& options, const FocusSetup& setup) {
    return {.algorithm = setup.algorithm,
            .doppler_centroid_hz = setup.doppler.centroid_hz,
            .doppler_surface_hz = has_zero_doppler(setup) ? std::optional(doppler_of_image(setup)) : std::nullopt,
            .doppler_source = setup.doppler.source,
            .effective_velocity_m_s = setup.image.map ? std::vector<double>{} : setup.image.velocity_m_s,
            .velocity_source = setup.velocity_source,
            .range_bandwidth_hz = acquisition.chirp.bandwidth_hz(),
            .azimuth_bandwidth_hz = setup.image.parameters.azimuth_bandwidth_hz,
            .range_window = options.range_window,
            .azimuth_window = options.azimuth_window,
            .scene_height_m = middle_height_m(setup),
            .terrain = options.terrain ? options.terrain->name() : "",
            .autofocus = options.autofocused,
            .software = options.software,
            .processed_at = options.processed_at};
}

bool is_finite(float value) { return std::abs(value) <= std::numeric_limits<float>::max(); }

/// Over all values without a branch, so that it becomes vector code: each row of an image passes through here.
bool all_finite(std::span<const std::complex<float>> row) {
    const float* values = reinterpret_cast<const float*>(row.data());
    int bad = 0;
    for (std::size_t i = 0; i < 2 * row.size(); ++i) bad |= is_finite(values[i]) ? 0 : 1;
    return bad == 0;
}

/// An image that is not finite is none: throws DeviceError, and with that nothing is written.
void check_finite(std::span<const std::complex<float>> rows, std::int64_t first_row, std::int64_t columns, const Acquisition& frame) {
    if (all_finite(rows)) return;
    const auto bad = std::find_if(rows.begin(), rows.end(), [](auto v) { return !is_finite(v.real()) || !is_finite(v.imag()); });
    const std::int64_t at = bad - rows.begin();
    throw DeviceError(
        fmt::format("image of {}: row {}, column {} is {} + {}j, no finite number; nothing is written. Echo samples near the end of "
                    "floating point (1e38) overflow: scale them down; if yours are far below, please report it with what `cornerturn info` "
                    "and `cornerturn focus --dry-run` print",
                    name_of(frame), first_row + at / columns, at % columns, bad->real(), bad->imag()));
}

void add(const TransferCount& more, TransferCount& to) {
    to.uploaded_bytes += more.uploaded_bytes;
    to.downloaded_bytes += more.downloaded_bytes;
    to.upload_s += more.upload_s;
    to.download_s += more.download_s;
}

/// How many blocks an earlier run has completed.
std::size_t blocks_there(const std::vector<AzimuthBlock>& blocks, std::int64_t rows) {
    std::size_t count = 0;
    while (count < blocks.size() && blocks[count].first_row + blocks[count].rows <= rows) ++count;
    return count;
}

std::vector<std::size_t> blocks_of(std::size_t first, std::size_t end, const std::function<bool(std::size_t)>& mine) {
    std::vector<std::size_t> blocks;
    for (std::size_t i = first; i < end; ++i)
        if (!mine || mine(i)) blocks.push_back(i);
    return blocks;
}

FocusOptions options_of_frame(FocusOptions options, std::size_t frame) {
    if (frame < options.block_rows_of_frames.size()) options.memory.block_rows = options.block_rows_of_frames[frame];
    return options;
}

Acquisition without_tables(Acquisition acquisition) {
    acquisition.decoding = {};
    acquisition.line_phase_cycles.clear();
    acquisition.true_phase_error_rad.clear();
    return acquisition;
}

/// The images of several frames on one zero-Doppler axis.
void align_rows(Device& device, std::span<const Acquisition* const> frames, const FocusOptions& options, std::vector<FocusSetup>& setups) {
    const Acquisition& first = *frames[0];
    double begin_s = INFINITY, end_s = -INFINITY;
    for (std::size_t i = 0; i < setups.size(); ++i) {
        const Acquisition& frame = *frames[i];
        const ImageGrid& grid = setups[i].image.grid;
        const double lines_apart = (grid.first_time_s - setups[0].image.grid.first_time_s) * first.prf_hz;
        const double drift_lines = static_cast<double>(grid.rows) * (frame.prf_hz / first.prf_hz - 1);
        constexpr double tolerance_lines = 1e-3;
        if (frame.epoch != first.epoch || std::abs(lines_apart - std::round(lines_apart)) > tolerance_lines ||
            std::abs(drift_lines) > tolerance_lines)
            throw InputError(fmt::format(
                "{} has its pulses at other times than {} (PRF {:.6f} and {:.6f} Hz, first pulse {:.9f} s after {} and {:.9f} s after {}): "
                "their images do not share one time axis; focus them into files of their own",
                name_of(frame), name_of(first), frame.prf_hz, first.prf_hz, frame.first_pulse_time_s, frame.epoch, first.first_pulse_time_s,
                first.epoch));
        begin_s = std::min(begin_s, grid.first_time_s);
        end_s = std::max(end_s, grid.time_s(static_cast<double>(grid.rows)));
    }
    const std::int64_t rows = std::llround((end_s - begin_s) * first.prf_hz);
    for (std::size_t i = 0; i < setups.size(); ++i) {
        setups[i].image = with_rows(setups[i].image, *frames[i], begin_s, rows);
        plan_steps(device, *frames[i], options_of_frame(options, i), setups[i]);
    }
}

void check_columns(std::span<const Acquisition* const> frames, const std::vector<FocusSetup>& setups) {
    for (std::size_t i = 0; i < frames.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const Acquisition &a = *frames[k], &b = *frames[i];
            const ImageGrid &p = setups[k].image.grid, &q = setups[i].image.grid;
            if (a.frequency != b.frequency) continue;
            if (p.columns != q.columns || p.near_range_m != q.near_range_m || p.range_spacing_m != q.range_spacing_m)
                throw InputError(
                    fmt::format("{} has other slant ranges than {} ({} and {} columns from {:.3f} and {:.3f} m): their images do "
                                "not share one range axis; focus them into files of their own",
                                name_of(b), name_of(a), q.columns, p.columns, q.near_range_m, p.near_range_m));
        }
}

void begin_report(const Acquisition& frame, FocusSetup setup, FocusReport& report) {
    report.acquisition = without_tables(frame);
    report.warnings.insert(report.warnings.begin(), setup.warnings.begin(), setup.warnings.end());
    report.setup = std::move(setup);
}

/// What the steps of two blocks have in common when one can go through those of the other: all but where it lies and how samples are
/// decoded.
struct Kind {
    Acquisition acquisition;
    ImagePlan image;
    double delay_lines = 0;  ///< of row 0 behind line 0
    friend bool operator==(const Kind&, const Kind&) = default;

    Kind() = default;
    Kind(const Acquisition& a, const ImagePlan& i) : acquisition(a), image(i), delay_lines(image_delay_lines(a, i)) {
        acquisition.decoding = {};
        acquisition.truth.clear();
        acquisition.true_phase_error_rad.clear();
        acquisition.orbit.reset();
        acquisition.attitude.reset();
        acquisition.polarization.clear();
        acquisition.first_pulse_time_s = image.grid.first_time_s = 0;
        image.valid_columns.clear();
    }
};

/// What is kept from frame to frame.
class FrameRun {
public:
    FrameRun(Device& device, const FocusOptions& options, const Progress& progress)
        : device_(device), options_(options), progress_(progress), conveyor_(device) {}

    /// From some lines, which are kept for process().
    DopplerEstimate estimate(EchoSource& source, FocusReport& report) {
        SampledLines lines = sample_lines(source);
        stage(report, "read", 0);
        const DopplerEstimate found = settle_ambiguity(source, estimate_doppler(lines), options_.velocity_m_s);
        stage(report, "doppler_estimate", 0);
        looked_at_.emplace(source, std::move(lines));
        return found;
    }

    VelocityEstimate estimate_velocity(EchoSource& source, const DopplerSurface& centroid_hz, FocusReport& report) {
        const VelocityEstimate found = cornerturn::estimate_velocity(source, centroid_hz);
        stage(report, "velocity_estimate", 0);
        return found;
    }

    /// All blocks, or those from `first` to `end`, which come in order over the calls; of these the ones that are `mine`.
    void process(EchoSource& from, FocusReport& report, ImageSink& sink, const StageObserver& observer, std::size_t first = 0,
                 std::size_t end = SIZE_MAX, const std::function<bool(std::size_t block)>& mine = {}) {
        const TransferCount before = device_.transferred();
        const FocusSetup& setup = report.setup;
        const std::vector<AzimuthBlock>& blocks = setup.memory.blocks;
        end = std::min(end, blocks.size());
        // Where memory is short, lines that were looked at are read once more.
        if (options_.memory.most_bytes || blocks.size() > 1) looked_at_.reset();
        EchoSource& source = looked_at_ ? *looked_at_ : from;
        if (first == 0) begin(source, report, sink);
        if (observer && blocks.size() > 1)
            throw InputError(
                fmt::format("the scene does not fit into memory as a whole, and goes through in {} blocks: their stages are not "
                            "shown; use a smaller scene or another --device",
                            blocks.size()));
        first = std::max(first, blocks_there(blocks, sink.rows_there()));
        stop();
        const std::vector<std::size_t> mine_of_these = blocks_of(first, end, mine);
        for (std::size_t n = 0; n < mine_of_these.size(); ++n) {
            const std::size_t i = mine_of_these[n];
            // Lines that the block before holds, too, are counted with that one, wherever it is made.
            if (i > first) counted_ = std::max(counted_, blocks[i - 1].first_line + blocks[i - 1].lines);
            done_ = static_cast<double>(i) / static_cast<double>(blocks.size());
            share_ = 1.0 / static_cast<double>(blocks.size());
            if (!slice_) start(source, blocks[i]);
            make_ready(slice_->acquisition(), setup.image_of(source.acquisition(), i), blocks[i], n == 0, report);
            take_lines(*slice_, blocks[i].first_line, report);
            // The lines of the next block are read while this one is computed and written.
            const bool early = n + 1 < mine_of_these.size() && source.reads_beside_writing();
            early ? start(source, blocks[mine_of_these[n + 1]]) : stop();
            const Matrix image =
                runner_->finish([&](std::string_view name, double done) { stage(report, name, 0.3 + 0.6 * done); }, observer);
            write(image, blocks[i].first_row, sink, report);
            sink.block_done();
        }
        if (end == blocks.size()) {
            looked_at_.reset();
            counted_ = 0;
        }
        add(since(before), report.transferred);
        if (first < end) report.stored_bytes = from.stored_bytes();
    }

    /// Gives back the memory of the last block.
    void release() {
        runner_.reset();
        conveyor_.release();
    }

private:
    void begin(const EchoSource& source, FocusReport& report, ImageSink& sink) {
        const FocusSetup& setup = report.setup;
        sink.begin({.acquisition = source.acquisition(),
                    .grid = setup.image.grid,
                    .processing = processing_record(source.acquisition(), options_, setup),
                    .valid_columns = setup.image.valid_columns,
                    .intervals_per_row = setup.image.intervals_per_row,
                    .samples = {},
                    .map = setup.image.map ? std::optional(setup.image.map->grid) : std::nullopt});
        stage(report, "set_up", 0);
    }

    /// Ends a stage; of several blocks the times add up.
    void stage(FocusReport& report, std::string_view name, double done, std::vector<BusyTime> busy = {}) {
        const double seconds = clock_.lap();
        report.wall_s += seconds;
        const auto known = std::find_if(report.stages.begin(), report.stages.end(), [&](const StageTime& s) { return s.name == name; });
        if (known == report.stages.end()) {
            report.stages.push_back({std::string(name), seconds, std::move(busy)});
        } else {
            known->seconds += seconds;
            for (std::size_t i = 0; i < busy.size(); ++i) {
                if (i < known->busy.size())
                    known->busy[i].seconds += busy[i].seconds;
                else
                    known->busy.push_back(busy[i]);
            }
        }
        if (progress_) progress_(name, done_ + share_ * done);
    }

    TransferCount since(const TransferCount& before) const {
        const TransferCount now = device_.transferred();
        return {now.uploaded_bytes - before.uploaded_bytes, now.downloaded_bytes - before.downloaded_bytes, now.upload_s - before.upload_s,
                now.download_s - before.download_s};
    }

    void start(EchoSource& source, const AzimuthBlock& block) {
        stop();
        slice_ = std::make_unique<EchoSlice>(source, block.first_line, block.lines);
        conveyor_.start(*slice_);
    }
    void stop() {
        conveyor_.stop();
        slice_.reset();
    }

    void make_ready(const Acquisition& slice, const ImagePlan& image, const AzimuthBlock& block, bool first, FocusReport& report) {
        const Formation formation = formation_of(former_named(report.setup.algorithm), slice, image, block);
        const Kind kind(slice, formation.image);
        const std::int64_t at_once = conveyor_.lines_at_once();
        const bool same = runner_ && algorithm_ == report.setup.algorithm && kind == kind_ && at_once == lines_at_once_ &&
                          runner_->decode_as(slice.decoding);
        if (first) report.plans_reused = same;
        if (!same) {
            runner_.reset();  // first, so that old and new need not fit together
            LoweringHints hints = options_.lowering;
            hints.block_lines = at_once;
            runner_ = std::make_unique<StepRunner>(device_, formation.algorithm, hints);
            kind_ = kind;
            algorithm_ = report.setup.algorithm;
            lines_at_once_ = at_once;
        }
        if (first) report.setup.memory.lowering = runner_->report();
        stage(report, "plan", 0);
    }

    /// Lines come and go through the first step.
    void take_lines(EchoSource& source, std::int64_t first_line_of_source, FocusReport& report) {
        const Acquisition& acquisition = source.acquisition();
        const auto watch = device_.stopwatch();
        const TransferCount before = device_.transferred();
        const auto sums = has_floating_point_samples(acquisition)
                              ? device_.reduction(acquisition.lines, acquisition.samples, acquisition.decoding)
                              : nullptr;
        conveyor_.carry([&](const EchoConveyor::Block& block) {
            watch->start();
            // Blocks overlap: what was counted with the one before is not counted again.
            const std::int64_t known = std::clamp<std::int64_t>(counted_ - first_line_of_source - block.first_line, 0, block.lines.rows);
            if (sums) sums->add(block.lines.rows_from(known, block.lines.rows - known), block.first_line + known, block.lines.rows - known);
            runner_->take_lines(block.lines, block.first_line);
            watch->stop();
            if (progress_)
                progress_("range_compression",
                          done_ + share_ * 0.3 * static_cast<double>(block.first_line) / static_cast<double>(acquisition.lines));
        });
        counted_ = first_line_of_source + acquisition.lines;
        if (sums) report.non_finite_samples = report.non_finite_samples.value_or(0) + sums->result().non_finite;
        device_.synchronize();
        stage(report, std::string(runner_->name(0)), 0.3,
              {{"read", conveyor_.read_s()}, {"upload", since(before).upload_s}, {"compute", watch->seconds()}});
    }

    void write(const Matrix& image, std::int64_t first_row, ImageSink& sink, FocusReport& report) {
        const TransferCount before = device_.transferred();
        double write_s = 0;
        device_.download_rows(image, [&](std::int64_t row, std::span<const std::complex<float>> rows) {
            StageClock clock;
            check_finite(rows, first_row + row, image.columns, report.acquisition);
            sink.write(first_row + row, rows);
            write_s += clock.lap();
            if (progress_) progress_("write", done_ + share_ * (0.9 + 0.1 * static_cast<double>(row) / static_cast<double>(image.rows)));
        });
        stage(report, "write", 1.0, {{"download", since(before).download_s}, {"write", write_s}});
    }

    Device& device_;
    const FocusOptions& options_;
    const Progress& progress_;
    double done_ = 0, share_ = 1;  // of the frame: blocks before this one, and this one
    StageClock clock_;
    // What the conveyor reads outlives it, whatever is thrown.
    std::optional<PartlyReadEcho> looked_at_;  // the first frame, where it had to be looked at first
    std::unique_ptr<EchoSlice> slice_;
    EchoConveyor conveyor_;
    std::unique_ptr<StepRunner> runner_;
    Kind kind_;
    std::string algorithm_;  // of the runner
    std::int64_t lines_at_once_ = 0;
    std::int64_t counted_ = 0;  // lines of the frame that were looked at for samples that are not finite
};

}  // namespace

double FocusReport::busy_s(std::string_view part) const {
    double sum = 0;
    for (const StageTime& stage : stages) {
        if (stage.busy.empty() && part == "compute" && stage.name != "set_up") sum += stage.seconds;
        for (const BusyTime& busy : stage.busy)
            if (busy.part == part) sum += busy.seconds;
    }
    return sum;
}

void add_doubts(FocusReport& report) {
    if (report.non_finite_samples.value_or(0) == 0) return;
    report.warnings.push_back(fmt::format("{} samples of the echo are not finite; taken as zero", *report.non_finite_samples));
}

std::vector<FocusSetup> set_up_frames(Device& device, std::span<const Acquisition* const> frames, const FocusOptions& options,
                                      const DopplerEstimator& estimate, const VelocityEstimator& estimate_velocity) {
    if (frames.empty()) throw std::logic_error("no frame to focus");
    std::vector<FocusSetup> setups{set_up_focus(device, *frames[0], options_of_frame(options, 0), estimate, estimate_velocity)};
    const Acquisition& first = *frames[0];
    const DopplerChoice doppler = setups[0].doppler;
    for (const Acquisition* frame : frames.subspan(1)) {
        FocusOptions same = with_velocity(options_of_frame(options, setups.size()), setups[0]);
        if (options.map) same.map = MapRequest{.projection = {}, .spacing_m = 0, .grid = setups[0].image.map->grid};
        if (doppler.origin != DopplerOrigin::file)  // the file tells it for each frame
            same = with_doppler(std::move(same), at_carrier(doppler, first.carrier_hz, frame->carrier_hz));
        setups.push_back(set_up_focus(device, *frame, same, {}));
        DopplerChoice& of_frame = setups.back().doppler;
        of_frame.origin = doppler.origin;
        if (options.estimate_velocity) setups.back().velocity_source = fmt::format("{} (of {})", setups[0].velocity_source, name_of(first));
        if (doppler.origin != DopplerOrigin::file) of_frame.source = fmt::format("{} (of {})", doppler.source, name_of(first));
    }
    if (frames.size() == 1 || options.map) return setups;
    align_rows(device, frames, options, setups);
    check_columns(frames, setups);
    return setups;
}

std::vector<FocusReport> focus_frames(Device& device, std::span<EchoSource* const> frames, const FocusOptions& options, ImageSink& sink,
                                      const Progress& progress, const FrameObserver& observer, const PlanObserver& planned) {
    std::vector<const Acquisition*> acquisitions;
    for (const EchoSource* frame : frames) acquisitions.push_back(&frame->acquisition());
    FrameRun run(device, options, progress);
    std::vector<FocusReport> reports(frames.size());
    std::vector<FocusSetup> setups = set_up_frames(
        device, acquisitions, options, [&] { return run.estimate(*frames[0], reports[0]); },
        [&](const DopplerSurface& centroid_hz) { return run.estimate_velocity(*frames[0], centroid_hz, reports[0]); });
    if (planned) planned(setups);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        begin_report(*acquisitions[i], std::move(setups[i]), reports[i]);
        run.process(*frames[i], reports[i], sink, observer ? observer(*acquisitions[i]) : StageObserver{});
        add_doubts(reports[i]);
    }
    return reports;
}

std::vector<FocusReport> focus_planned_frames(Device& device, std::span<EchoSource* const> frames, const FocusOptions& options,
                                              std::vector<FocusSetup> setups, ImageSink& sink, const Progress& progress,
                                              const BlockFilter& mine) {
    FrameRun run(device, options, progress);
    std::vector<FocusReport> reports(frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        begin_report(frames[i]->acquisition(), std::move(setups[i]), reports[i]);
        run.process(*frames[i], reports[i], sink, {}, 0, SIZE_MAX, [&](std::size_t block) { return mine(i, block); });
    }
    return reports;
}

struct BlockFocus::Run {
    FocusOptions options;
    Progress progress;
    FrameRun frame;
    Run(Device& device, const FocusOptions& o, const Progress& p) : options(o), progress(p), frame(device, options, progress) {}
};

BlockFocus::BlockFocus(Device& device, EchoSource& frame, const FocusOptions& options, FocusSetup setup, ImageSink& sink,
                       const Progress& progress)
    : frame_(frame), sink_(sink), run_(std::make_unique<Run>(device, options, progress)) {
    begin_report(frame.acquisition(), std::move(setup), report_);
}
BlockFocus::~BlockFocus() = default;

void BlockFocus::run(std::size_t block) {
    run_->frame.process(frame_, report_, sink_, {}, block, block + 1);
    run_->frame.release();
    if (block + 1 == blocks()) add_doubts(report_);
}

FocusResult focus(Device& device, const Echo& echo, const FocusOptions& options, const Progress& progress, const StageObserver& observer) {
    EchoInMemory source(echo);
    EchoSource* const frame = &source;
    ImageInMemory sink;
    auto reports = focus_frames(device, std::span(&frame, 1), options, sink, progress, [&](const Acquisition&) { return observer; });
    return {.image = std::move(sink.image), .report = std::move(reports.front())};
}

}  // namespace cornerturn
