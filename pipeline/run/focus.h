// SPDX-License-Identifier: Apache-2.0
// From echo to image: makes the estimates from data, plans, and runs the algorithm on a device block by block while
// lines come in and rows go out.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/echo/progress.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/plan/focus_setup.h"
#include "pipeline/run/focus_report.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {

struct FocusResult {
    Image image;
    FocusReport report;
};

/// Called for each frame; returns the observer of its stages.
using FrameObserver = std::function<StageObserver(const Acquisition& frame)>;

/// Called with the decisions for all frames before the first one begins.
using PlanObserver = std::function<void(std::span<const FocusSetup>)>;

/// Focuses frames one after the other into one sink, by the options with_estimates of the first (data_estimates.h).
/// Frames of the same kind use the same plans and memory. Blocks whose rows the sink has already are not formed again.
std::vector<FocusReport> focus_frames(Device& device, std::span<EchoSource* const> frames, const FocusOptions& options,
                                      ImageSink& sink, const Progress& progress = {},
                                      const FrameObserver& observer = {}, const PlanObserver& planned = {});

/// One frame, an azimuth block when it is asked for.
class BlockFocus {
public:
    /// All must outlive it; `setup` is of the same device, frame and options.
    BlockFocus(Device& device, EchoSource& frame, const FocusOptions& options, FocusSetup setup, ImageSink& sink,
               const Progress& progress = {});
    ~BlockFocus();
    std::size_t blocks() const { return report_.setup.memory.blocks.size(); }
    /// Blocks one after the other. Between them it holds no memory, so that others may use the device.
    void run(std::size_t block);
    FocusReport& report() { return report_; }

private:
    struct Run;
    EchoSource& frame_;
    ImageSink& sink_;
    FocusReport report_;
    std::unique_ptr<Run> run_;
};

/// One frame: its lines sent from or beside a reference track where its own sways, and in even steps, but for what is
/// forced. Throws InputError for what cannot be done as asked, DeviceError, and Interrupted once the job of this thread
/// is to stop (JobScope); what the sink has got by then is no image.
FocusReport focus(Device& device, EchoSource& echo, const FocusOptions& options, ImageSink& sink,
                  const Progress& progress = {}, const StageObserver& observer = {});
/// Focuses one frame from host memory to host memory.
FocusResult focus(Device& device, const Echo& echo, const FocusOptions& options, const Progress& progress = {},
                  const StageObserver& observer = {});

}  // namespace cornerturn
