// SPDX-License-Identifier: Apache-2.0
// The way of planned frames through one device, block by block: lines come in, rows go out, the report is filled.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pipeline/echo/stage_clock.h"
#include "pipeline/run/block_former.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

/// Which azimuth blocks of which frame are made here; others are made elsewhere.
using BlockFilter = std::function<bool(std::size_t frame, std::size_t block)>;

/// What is kept from frame to frame. Its first stage begins when it is made.
class FrameRun {
public:
    FrameRun(Device& device, const FocusOptions& options, const Progress& progress)
        : device_(device), options_(options), progress_(progress), former_(device, options) {}

    /// All blocks, or those from `first` to `end`, which come in order over the calls; of these the ones that are
    /// `mine`.
    void process(EchoSource& source, FocusReport& report, ImageSink& sink, const StageObserver& observer,
                 std::size_t first = 0, std::size_t end = SIZE_MAX,
                 const std::function<bool(std::size_t block)>& mine = {});
    /// Frames one after the other: all blocks, or those that are `mine`, whose doubts are then left to whoever knows
    /// what the others have found.
    std::vector<FocusReport> process_all(std::span<EchoSource* const> frames, std::vector<FocusSetup> setups,
                                         ImageSink& sink, const FrameObserver& observer, const BlockFilter& mine);

    /// Gives back the memory of the last block.
    void release() { former_.release(); }
    /// What passed since the last stage belongs to none.
    void start_clock() { clock_.lap(); }

private:
    /// Of the same frame by the same plan as before, as it was then: thousands of velocities take 0.1 ms.
    const Image& header_of(const Acquisition& frame, const FocusSetup& setup);
    void tell(std::string_view name, double done);
    /// Ends a stage; of several blocks the times add up.
    void stage(FocusReport& report, std::string_view name, double done, std::vector<BusyTime> busy = {});
    void write(const FormedBlock& formed, std::int64_t first_row, ImageSink& sink, FocusReport& report);
    /// The image of a part of the pulses, to what those before it have come to; the last one writes that.
    void add(const Matrix& image, bool last, ImageSink& sink, FocusReport& report);

    Device& device_;
    const FocusOptions& options_;
    const Progress& progress_;
    double done_ = 0, share_ = 1;  // of the frame: blocks before this one, and this one
    StageClock clock_;
    BlockFormer former_;
    std::vector<std::complex<float>> sum_;  // of parts, where these are added up
    struct Header {
        std::weak_ptr<const BlockFormation> plan;
        Acquisition frame;
        Image image;
    } header_;
};

/// focus_frames, of frames that were set up for the device; of blocks that are `mine` as process_all.
std::vector<FocusReport> focus_planned_frames(Device& device, std::span<EchoSource* const> frames,
                                              const FocusOptions& options, std::vector<FocusSetup> setups,
                                              ImageSink& sink, const Progress& progress, const BlockFilter& mine = {});

}  // namespace cornerturn
