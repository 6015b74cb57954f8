// SPDX-License-Identifier: Apache-2.0
// Frames through the chain, one after the other: lines come in and rows go out while the device computes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/available_memory.h"
#include "kernels/errors.h"
#include "pipeline/echo_conveyor.h"
#include "pipeline/focus.h"
#include "pipeline/stage_clock.h"

namespace cornerturn {
namespace {

bool has_floating_point_samples(const Acquisition& acquisition) {
    return acquisition.format != SampleFormat::int8 && acquisition.format != SampleFormat::int16;
}

std::string name_of(const Acquisition& acquisition) {
    return fmt::format("frequency {} {}", acquisition.frequency, acquisition.polarization);
}

ProcessingRecord processing_record(const Acquisition& acquisition, const FocusOptions& options, const FocusSetup& setup) {
    return {.algorithm = "rda",
            .doppler_centroid_hz = setup.doppler.centroid_hz,
            .doppler_source = setup.doppler.source,
            .effective_velocity_m_s = setup.plan.velocity_m_s,
            .velocity_source = setup.velocity_source,
            .range_bandwidth_hz = acquisition.chirp.bandwidth_hz(),
            .azimuth_bandwidth_hz = setup.plan.parameters.azimuth_bandwidth_hz,
            .range_window = options.range_window,
            .azimuth_window = options.azimuth_window,
            .software = options.software};
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

Acquisition without_tables(Acquisition acquisition) {
    acquisition.decoding = {};
    return acquisition;
}

/// The images of several frames on one zero-Doppler axis.
void align_rows(std::span<const Acquisition* const> frames, std::vector<FocusSetup>& setups) {
    const Acquisition& first = *frames[0];
    double begin_s = INFINITY, end_s = -INFINITY;
    for (std::size_t i = 0; i < setups.size(); ++i) {
        const Acquisition& frame = *frames[i];
        const ImageGrid& grid = setups[i].plan.grid;
        const double lines_apart = (grid.first_time_s - setups[0].plan.grid.first_time_s) * first.prf_hz;
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
    for (std::size_t i = 0; i < setups.size(); ++i) setups[i].plan = with_rows(setups[i].plan, *frames[i], begin_s, rows);
}

void check_columns(std::span<const Acquisition* const> frames, const std::vector<FocusSetup>& setups) {
    for (std::size_t i = 0; i < frames.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const Acquisition &a = *frames[k], &b = *frames[i];
            const ImageGrid &p = setups[k].plan.grid, &q = setups[i].plan.grid;
            if (a.frequency != b.frequency) continue;
            if (p.columns != q.columns || p.near_range_m != q.near_range_m || p.range_spacing_m != q.range_spacing_m)
                throw InputError(
                    fmt::format("{} has other slant ranges than {} ({} and {} columns from {:.3f} and {:.3f} m): their images do "
                                "not share one range axis; focus them into files of their own",
                                name_of(b), name_of(a), q.columns, p.columns, q.near_range_m, p.near_range_m));
        }
}

/// What is kept from frame to frame.
class FrameRun {
public:
    FrameRun(Device& device, const FocusOptions& options, const Progress& progress)
        : device_(device), options_(options), progress_(progress), conveyor_(device) {}

    /// Reads the echo once: to the device, where it stays for process(), with the sums over it, and to the host for the rest of the
    /// estimate.
    DopplerEstimate estimate(EchoSource& source, FocusReport& report) {
        const Acquisition& acquisition = source.acquisition();
        Echo echo{.acquisition = acquisition, .samples = {}};
        const auto bytes = static_cast<std::size_t>(acquisition.lines * acquisition.samples) * bytes_per_sample(acquisition.format);
        require_memory(static_cast<double>(bytes),
                       fmt::format("{}: {} x {} samples", name_of(acquisition), acquisition.lines, acquisition.samples));
        echo.samples.resize(bytes);
        const TransferCount before = device_.transferred();
        conveyor_.start(source);
        Matrix whole = device_.allocate(acquisition.format, acquisition.lines, acquisition.samples);
        const auto sums = device_.reduction(acquisition.lines, acquisition.samples, acquisition.decoding);
        const auto watch = device_.stopwatch();
        std::int64_t summed = 0;
        conveyor_.carry_into(whole, [&](const EchoConveyor::Block& block) {
            std::copy(block.host.begin(), block.host.end(),
                      echo.samples.begin() + block.first_line * static_cast<std::int64_t>(bytes) / acquisition.lines);
            // The last line so far waits for the one behind it.
            const std::int64_t arrived = block.first_line + block.lines.rows, end = arrived == acquisition.lines ? arrived : arrived - 1;
            watch->start();
            sums->add(whole.rows_from(summed, arrived - summed), summed, end - summed);
            watch->stop();
            summed = end;
        });
        const EchoStatistics statistics = sums->result();
        report.transferred = since(before);
        report.stages.push_back(
            {"read", clock_.lap(), {{"read", conveyor_.read_s()}, {"upload", since(before).upload_s}, {"compute", watch->seconds()}}});
        const DopplerEstimate found = estimate_doppler(echo, statistics.lag1);
        report.stages.push_back({"doppler_estimate", clock_.lap()});
        for (const StageTime& stage : report.stages) report.wall_s += stage.seconds;
        count_non_finite(acquisition, statistics, report);
        resident_ = std::move(whole);
        return found;
    }

    void process(EchoSource& source, FocusReport& report, ImageSink& sink, const StageObserver& observer) {
        const Acquisition& acquisition = source.acquisition();
        const TransferCount before = device_.transferred();
        sink.begin({.acquisition = acquisition,
                    .grid = report.setup.plan.grid,
                    .processing = processing_record(acquisition, options_, report.setup),
                    .valid_columns = report.setup.plan.valid_columns,
                    .samples = {}});
        stage(report, "set_up");
        if (!resident_.storage) conveyor_.start(source);
        make_plans(acquisition, report);
        compress(source, report);
        const Matrix image = processor_->finish([&](std::string_view name, double done) { stage(report, name, 0.95 * done); }, observer);
        write(image, sink, report);
        const TransferCount after = since(before);
        report.transferred.uploaded_bytes += after.uploaded_bytes;
        report.transferred.upload_s += after.upload_s;
        report.transferred.downloaded_bytes += after.downloaded_bytes;
        report.transferred.download_s += after.download_s;
        report.stored_bytes = source.stored_bytes();
    }

private:
    /// Ends a stage.
    void stage(FocusReport& report, std::string_view name, double done = 0, std::vector<BusyTime> busy = {}) {
        const double seconds = clock_.lap();
        report.wall_s += seconds;
        // The conveyor's figures are the better ones.
        const bool known = !report.stages.empty() && report.stages.back().name == name;
        if (known)
            report.stages.back().seconds += seconds;
        else
            report.stages.push_back({std::string(name), seconds, std::move(busy)});
        if (progress_) progress_(name, done);
    }

    TransferCount since(const TransferCount& before) const {
        const TransferCount now = device_.transferred();
        return {now.uploaded_bytes - before.uploaded_bytes, now.downloaded_bytes - before.downloaded_bytes, now.upload_s - before.upload_s,
                now.download_s - before.download_s};
    }

    static void count_non_finite(const Acquisition& acquisition, const EchoStatistics& statistics, FocusReport& report) {
        if (!has_floating_point_samples(acquisition)) return;
        report.non_finite_samples = statistics.non_finite;
        if (statistics.non_finite > 0)
            report.warnings.push_back(fmt::format("{} samples of the echo are not finite; taken as zero", statistics.non_finite));
    }

    void make_plans(const Acquisition& acquisition, FocusReport& report) {
        const RangeDopplerPlan& plan = report.setup.plan;
        report.plans_reused = processor_ && processor_->prepare(acquisition, plan, conveyor_.lines_at_once());
        if (!report.plans_reused) {
            processor_.reset();  // first, so that old and new need not fit together
            processor_ = std::make_unique<RangeDopplerProcessor>(device_, acquisition, plan, conveyor_.lines_at_once());
        }
        stage(report, "plan");
    }

    void compress(EchoSource& source, FocusReport& report) {
        const Acquisition& acquisition = source.acquisition();
        const auto watch = device_.stopwatch();
        const auto take = [&](const Matrix& lines, std::int64_t first_line) {
            watch->start();
            processor_->compress_range(lines, first_line);
            watch->stop();
            if (progress_) progress_("range_compression", 0.3 * static_cast<double>(first_line) / static_cast<double>(acquisition.lines));
        };
        if (resident_.storage) {
            const std::int64_t at_once = conveyor_.lines_at_once();
            for (std::int64_t first = 0; first < acquisition.lines; first += at_once)
                take(resident_.rows_from(first, std::min(at_once, acquisition.lines - first)), first);
            device_.synchronize();
            resident_ = {};
            return stage(report, "range_compression", 0.3, {{"compute", watch->seconds()}});
        }
        const TransferCount before = device_.transferred();
        const auto sums = has_floating_point_samples(acquisition)
                              ? device_.reduction(acquisition.lines, acquisition.samples, acquisition.decoding)
                              : nullptr;
        conveyor_.carry([&](const EchoConveyor::Block& block) {
            if (sums) {
                watch->start();
                sums->add(block.lines, block.first_line, block.lines.rows);
                watch->stop();
            }
            take(block.lines, block.first_line);
        });
        if (sums) count_non_finite(acquisition, sums->result(), report);
        device_.synchronize();
        stage(report, "range_compression", 0.3,
              {{"read", conveyor_.read_s()}, {"upload", since(before).upload_s}, {"compute", watch->seconds()}});
    }

    void write(const Matrix& image, ImageSink& sink, FocusReport& report) {
        const TransferCount before = device_.transferred();
        double write_s = 0;
        device_.download_rows(image, [&](std::int64_t first_row, std::span<const std::complex<float>> rows) {
            StageClock clock;
            check_finite(rows, first_row, image.columns, report.acquisition);
            sink.write(first_row, rows);
            write_s += clock.lap();
            if (progress_) progress_("write", 0.95 + 0.05 * static_cast<double>(first_row) / static_cast<double>(image.rows));
        });
        stage(report, "write", 1.0, {{"download", since(before).download_s}, {"write", write_s}});
    }

    Device& device_;
    const FocusOptions& options_;
    const Progress& progress_;
    StageClock clock_;
    EchoConveyor conveyor_;
    Matrix resident_;  // the echo of the first frame, where it had to be looked at first
    std::unique_ptr<RangeDopplerProcessor> processor_;
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

std::vector<FocusSetup> set_up_frames(Device& device, std::span<const Acquisition* const> frames, const FocusOptions& options,
                                      const DopplerEstimator& estimate) {
    if (frames.empty()) throw std::logic_error("no frame to focus");
    std::vector<FocusSetup> setups{set_up_focus(device, *frames[0], options, estimate)};
    const Acquisition& first = *frames[0];
    const DopplerChoice doppler = setups[0].doppler;
    for (const Acquisition* frame : frames.subspan(1)) {
        FocusOptions same = options;
        if (doppler.origin != DopplerOrigin::file) {  // the file tells it for each frame
            same.doppler_centroid_hz = doppler_at_carrier_hz(doppler.centroid_hz, first.carrier_hz, frame->carrier_hz);
            same.estimate_doppler = false;
        }
        setups.push_back(set_up_focus(device, *frame, same, {}));
        DopplerChoice& of_frame = setups.back().doppler;
        of_frame.origin = doppler.origin;
        if (doppler.origin != DopplerOrigin::file) of_frame.source = fmt::format("{} (of {})", doppler.source, name_of(first));
    }
    if (frames.size() == 1) return setups;
    align_rows(frames, setups);
    check_columns(frames, setups);
    return setups;
}

std::vector<FocusReport> focus_frames(Device& device, std::span<EchoSource* const> frames, const FocusOptions& options, ImageSink& sink,
                                      const Progress& progress, const FrameObserver& observer) {
    std::vector<const Acquisition*> acquisitions;
    for (const EchoSource* frame : frames) acquisitions.push_back(&frame->acquisition());
    FrameRun run(device, options, progress);
    std::vector<FocusReport> reports(frames.size());
    std::vector<FocusSetup> setups = set_up_frames(device, acquisitions, options, [&] { return run.estimate(*frames[0], reports[0]); });
    for (std::size_t i = 0; i < frames.size(); ++i) {
        check_memory(device, setups[i].plan);
        check_corner_turns(device, *acquisitions[i], setups[i].plan);
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
        FocusReport& report = reports[i];
        report.acquisition = without_tables(*acquisitions[i]);
        report.setup = std::move(setups[i]);
        report.warnings.insert(report.warnings.begin(), report.setup.warnings.begin(), report.setup.warnings.end());
        run.process(*frames[i], report, sink, observer ? observer(*acquisitions[i]) : StageObserver{});
    }
    return reports;
}

FocusResult focus(Device& device, const Echo& echo, const FocusOptions& options, const Progress& progress, const StageObserver& observer) {
    EchoInMemory source(echo);
    EchoSource* const frame = &source;
    ImageInMemory sink;
    auto reports = focus_frames(device, std::span(&frame, 1), options, sink, progress, [&](const Acquisition&) { return observer; });
    return {.image = std::move(sink.image), .report = std::move(reports.front())};
}

}  // namespace cornerturn
