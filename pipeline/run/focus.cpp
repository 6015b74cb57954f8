// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/focus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/errors.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/run/block_former.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/run/frame_work.h"
#include "pipeline/run/image_header.h"
#include "pipeline/run/repeated_focus.h"

namespace cornerturn {
namespace {

/// What is kept from frame to frame.
class FrameRun {
public:
    FrameRun(Device& device, const FocusOptions& options, const Progress& progress)
        : device_(device), options_(options), progress_(progress), former_(device, options) {}

    /// All blocks, or those from `first` to `end`, which come in order over the calls; of these the ones that are
    /// `mine`.
    void process(EchoSource& source, FocusReport& report, ImageSink& sink, const StageObserver& observer,
                 std::size_t first = 0, std::size_t end = SIZE_MAX,
                 const std::function<bool(std::size_t block)>& mine = {}) {
        const TransferCount before = device_.transferred();
        if (options_.timeline) device_.take_bus_spans();  // of others
        const FocusSetup& setup = report.setup;
        const std::vector<AzimuthBlock>& blocks = setup.memory.blocks;
        end = std::min(end, blocks.size());
        if (first == 0) {
            sink.begin(image_header(source.acquisition(), options_, setup));
            stage(report, "set_up", 0);
        }
        if (observer && blocks.size() > 1)
            throw InputError(fmt::format(
                "the scene does not fit into memory as a whole, and goes through in {} blocks: their stages are not "
                "shown; use a smaller scene or another --device",
                blocks.size()));
        const std::size_t there = blocks_there(blocks, sink.rows_there());
        first = std::max(first, there);
        former_.stop();
        std::vector<std::size_t> to_do;
        for (std::size_t i = first; i < end; ++i)
            if (!mine || mine(i)) to_do.push_back(i);
        for (std::size_t n = 0; n < to_do.size(); ++n) {
            const std::size_t i = to_do[n];
            done_ = static_cast<double>(i) / static_cast<double>(blocks.size());
            share_ = 1.0 / static_cast<double>(blocks.size());
            if (!former_.started()) former_.start(source, blocks[i]);
            // The lines of the next block are read while this one is computed and written.
            const bool early = n + 1 < to_do.size() && source.reads_beside_writing();
            const FormedBlock formed =
                former_.form(source.acquisition(), setup, i, lines_counted(blocks, i, there),
                             {.ended = [&](std::string_view name, double done,
                                           std::vector<BusyTime> busy) { stage(report, name, done, std::move(busy)); },
                              .within = [&](std::string_view name, double done) { tell(name, done); },
                              .observer = observer,
                              .lines_taken =
                                  [&] {
                                      if (early) former_.start(source, blocks[to_do[n + 1]]);
                                  }},
                             sink.room_on(device_, blocks[i].first_row, blocks[i].rows));
            if (!formed.given_up.empty()) report.warnings.push_back(formed.given_up);
            if (n == 0) report.plans_reused = formed.plans_reused;
            if (n == 0) report.setup.memory.lowering = former_.lowering();
            // Where it was this block's, the steps have its tables by now.
            if (auto& kept = report.setup.memory.largest; kept && kept->block() == blocks[i]) kept.reset();
            if (formed.non_finite_samples)
                report.non_finite_samples = report.non_finite_samples.value_or(0) + *formed.non_finite_samples;
            write(formed.rows, blocks[i].first_row, sink, report);
            note_copies(device_, options_.timeline.get(), 0);
            sink.block_done();
            ++report.blocks_formed;
        }
        report.transferred += device_.transferred() - before;
        if (first < end) report.stored_bytes = source.stored_bytes();
    }

    /// Gives back the memory of the last block.
    void release() { former_.release(); }
    /// What passed since the last stage belongs to none.
    void start_clock() { clock_.lap(); }

private:
    void tell(std::string_view name, double done) {
        if (progress_) progress_(name, done_ + share_ * done);
    }

    /// Ends a stage; of several blocks the times add up.
    void stage(FocusReport& report, std::string_view name, double done, std::vector<BusyTime> busy = {}) {
        const double seconds = clock_.lap();
        report.wall_s += seconds;
        report.add({std::string(name), seconds, std::move(busy)});
        tell(name, done);
    }

    void write(const Matrix& image, std::int64_t first_row, ImageSink& sink, FocusReport& report) {
        if (std::optional<Matrix> room = sink.room_on(device_, first_row, image.rows))
            if (device_.copy_finite(image, *room)) return stage(report, "write", 1.0);
        const double downloaded_s = device_.transferred().download_s;
        double write_s = 0;
        const bool finite = is_finite(device_, image);
        device_.download_rows(image, [&](std::int64_t row, std::span<const std::complex<float>> rows) {
            StageClock clock;
            if (!finite) {
                const TimelineSpan span(options_.timeline.get(), lane::compute, "check");
                check_finite(rows, first_row + row, image.columns, report.acquisition);
            }
            sink.write(first_row + row, rows);
            write_s += clock.lap();
            tell("write", 0.9 + 0.1 * static_cast<double>(row) / static_cast<double>(image.rows));
        });
        stage(report, "write", 1.0,
              {{"download", device_.transferred().download_s - downloaded_s}, {"write", write_s}});
    }

    Device& device_;
    const FocusOptions& options_;
    const Progress& progress_;
    double done_ = 0, share_ = 1;  // of the frame: blocks before this one, and this one
    StageClock clock_;
    BlockFormer former_;
};

void process_all(FrameRun& run, std::span<EchoSource* const> frames, std::vector<FocusSetup> setups, ImageSink& sink,
                 const FrameObserver& observer, const BlockFilter& mine, std::vector<FocusReport>& reports) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const Acquisition& frame = frames[i]->acquisition();
        begin_report(frame, std::move(setups[i]), reports[i]);
        const auto of_frame = [&](std::size_t block) { return !mine || mine(i, block); };
        run.process(*frames[i], reports[i], sink, observer ? observer(frame) : StageObserver{}, 0, SIZE_MAX, of_frame);
        if (!mine) add_doubts(reports[i]);
    }
}

}  // namespace

std::vector<FocusReport> focus_frames(Device& device, std::span<EchoSource* const> frames, const FocusOptions& wanted,
                                      ImageSink& sink, const Progress& progress, const FrameObserver& observer,
                                      const PlanObserver& planned) {
    const FocusOptions options = with_estimates(*frames[0], wanted, imager(device));
    FrameRun run(device, options, progress);
    std::vector<FocusReport> reports(frames.size());
    std::vector<FocusSetup> setups;
    {
        const TimelineSpan span(options.timeline.get(), lane::plan, "plan");
        setups = set_up_frames(device, acquisitions_of(frames), options);
    }
    if (planned) planned(setups);
    process_all(run, frames, std::move(setups), sink, observer, {}, reports);
    return reports;
}

std::vector<FocusReport> focus_planned_frames(Device& device, std::span<EchoSource* const> frames,
                                              const FocusOptions& options, std::vector<FocusSetup> setups,
                                              ImageSink& sink, const Progress& progress, const BlockFilter& mine) {
    FrameRun run(device, options, progress);
    std::vector<FocusReport> reports(frames.size());
    process_all(run, frames, std::move(setups), sink, {}, mine, reports);
    return reports;
}

struct BlockFocus::Run {
    FocusOptions options;
    Progress progress;
    FrameRun frame;
    Run(Device& device, const FocusOptions& o, const Progress& p)
        : options(o), progress(p), frame(device, options, progress) {}
};

BlockFocus::BlockFocus(Device& device, EchoSource& frame, const FocusOptions& options, FocusSetup setup,
                       ImageSink& sink, const Progress& progress)
    : frame_(frame), sink_(sink), run_(std::make_unique<Run>(device, options, progress)) {
    begin_report(frame.acquisition(), std::move(setup), report_);
}
BlockFocus::~BlockFocus() = default;

void BlockFocus::run(std::size_t block) {
    run_->frame.process(frame_, report_, sink_, {}, block, block + 1);
    run_->frame.release();
    if (block + 1 == blocks()) add_doubts(report_);
}

struct RepeatedFocus::Run {
    FocusOptions options;
    Progress progress;  // of the frame that is on its way
    FrameRun frames;
    Run(Device& device, const FocusOptions& o) : options(o), frames(device, options, progress) {}
};

RepeatedFocus::RepeatedFocus(Device& device, const FocusOptions& options)
    : run_(std::make_unique<Run>(device, options)) {}
RepeatedFocus::~RepeatedFocus() = default;

FocusReport RepeatedFocus::run(EchoSource& frame, FocusSetup setup, ImageSink& sink, const Progress& progress) {
    FocusReport report;
    begin_report(frame.acquisition(), std::move(setup), report);
    run_->progress = progress;
    run_->frames.start_clock();
    run_->frames.process(frame, report, sink, {});
    add_doubts(report);
    return report;
}

void RepeatedFocus::release() { run_->frames.release(); }

FocusReport focus(Device& device, EchoSource& echo, const FocusOptions& options, ImageSink& sink,
                  const Progress& progress, const StageObserver& observer) {
    std::vector<std::string> remarks;
    const auto even = options.force ? nullptr : on_even_lines(echo, options, imager(device), &remarks);
    EchoSource* const frame = even ? even.get() : &echo;
    FocusReport report =
        std::move(focus_frames(device, std::span(&frame, 1), options, sink, progress, [&](const Acquisition&) {
                      return observer;
                  }).front());
    report.warnings.insert(report.warnings.begin(), remarks.begin(), remarks.end());
    return report;
}

FocusResult focus(Device& device, const Echo& echo, const FocusOptions& options, const Progress& progress,
                  const StageObserver& observer) {
    EchoInMemory source(echo);
    ImageInMemory sink;
    FocusReport report = focus(device, source, options, sink, progress, observer);
    return {.image = std::move(sink.image), .report = std::move(report)};
}

}  // namespace cornerturn
