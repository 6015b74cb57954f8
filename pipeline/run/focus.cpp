// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/focus.h"

#include <utility>

#include "pipeline/run/data_estimates.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/run/frame_run.h"
#include "pipeline/run/frame_work.h"

namespace cornerturn {

std::vector<FocusReport> focus_frames(Device& device, std::span<EchoSource* const> frames, const FocusOptions& wanted,
                                      ImageSink& sink, const Progress& progress, const FrameObserver& observer,
                                      const PlanObserver& planned) {
    const FocusOptions options = with_estimates(*frames[0], wanted, imager(device));
    FrameRun run(device, options, progress);
    std::vector<FocusSetup> setups;
    {
        const TimelineSpan span(options.timeline.get(), lane::plan, "plan");
        setups = set_up_frames(device, acquisitions_of(frames), options);
    }
    if (planned) planned(setups);
    return run.process_all(frames, std::move(setups), sink, observer, {});
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

FocusReport focus(Device& device, EchoSource& echo, const FocusOptions& options, ImageSink& sink,
                  const Progress& progress, const StageObserver& observer) {
    std::vector<std::string> remarks;
    const auto even = options.force ? nullptr : on_even_lines(echo, options, imager(device), &remarks);
    EchoSource* const frame = even ? even.get() : &echo;
    const FrameObserver of_frame = observer ? [&](const Acquisition&) { return observer; } : FrameObserver{};
    FocusReport report =
        std::move(focus_frames(device, std::span(&frame, 1), options, sink, progress, of_frame).front());
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
