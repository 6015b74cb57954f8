// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/repeated_focus.h"

#include <utility>

#include "pipeline/run/frame_run.h"

namespace cornerturn {

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

}  // namespace cornerturn
