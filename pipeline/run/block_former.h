// SPDX-License-Identifier: Apache-2.0
// Processing of azimuth blocks on one device: the lines of one block are read while another is computed. Plans and
// memory are kept from block to block.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/echo/echo_conveyor.h"
#include "pipeline/echo/echo_part.h"
#include "pipeline/echo/timeline.h"
#include "pipeline/run/focus.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {

/// What the steps of two blocks have in common when one can go through those of the other: all but where it lies and
/// how samples are decoded.
struct BlockKind {
    Acquisition acquisition;
    ImagePlan image;
    double delay_lines = 0;  ///< of row 0 behind line 0
    friend bool operator==(const BlockKind&, const BlockKind&) = default;

    BlockKind() = default;
    BlockKind(const Acquisition& slice, const ImagePlan& image);
};

/// Who is told while a block is formed, by the thread that forms it.
struct BlockListener {
    /// A stage has ended, and with it so much of the block.
    std::function<void(std::string_view stage, double done, std::vector<BusyTime> busy)> ended;
    /// A stage that takes long has come so far through the block.
    Progress within;
    StageObserver observer;
    /// All lines are on their way through the device: the next block may be started.
    std::function<void()> lines_taken;
};

struct FormedBlock {
    Matrix rows;                ///< of the image; on the device, in the room given, or until the next block is formed
    bool plans_reused = false;  ///< of the block before
    std::optional<std::int64_t>
        non_finite_samples;      ///< of the lines that were to be counted, where they are of floating point
    bool surely_finite = false;  ///< all rows: nobody has to look again
    std::string given_up;        ///< "", or why another algorithm made it than the one that was planned
};

/// Like its device, for one thread at a time.
class BlockFormer {
public:
    /// Both must outlive it. `device_number`: where several go through blocks of one job.
    BlockFormer(Device& device, const FocusOptions& options, std::size_t device_number = 0)
        : device_(device),
          options_(options),
          device_number_(device_number),
          conveyor_(device, options.timeline.get(), lane_of_device(lane::input, device_number)) {}

    /// Begins to read a block's lines; the source must live until form() or stop().
    void start(EchoSource& frame, const AzimuthBlock& block);
    void stop();
    bool started() const { return slice_ != nullptr; }

    /// The block that was started, of a frame that was set up like this. Lines before `counted_lines` of the frame were
    /// looked at for samples that are not finite. Where nobody asked for an algorithm (`auto`), and the one that was
    /// taken finds within its work that it does not hold, pixels are summed one by one on the same grid. `room`: memory
    /// of the device that the rows may come into.
    FormedBlock form(const Acquisition& frame, const FocusSetup& setup, std::size_t block_number,
                     std::int64_t counted_lines, const BlockListener& told, const std::optional<Matrix>& room = {});

    /// How the device goes through the steps of the last block.
    const LoweringReport& lowering() const { return runner_->report(); }
    /// Gives back the memory of the last block.
    void release();

private:
    FormedBlock form_by(const std::shared_ptr<const BlockFormation>& formation, std::int64_t counted_lines,
                        const BlockListener& told, const std::optional<Matrix>& room);
    bool make_ready(const std::shared_ptr<const BlockFormation>& formation);
    /// Asks the device for the first step.
    void take_lines(const std::function<void(const EchoConveyor::Chunk&)>& look, const BlockListener& told);
    /// Of the first step, once it has ended.
    std::vector<BusyTime> busy_with_lines(double read_s, double uploaded_before_s);

    Device& device_;
    const FocusOptions& options_;
    std::size_t device_number_;
    EchoSource* frame_ = nullptr;       // of the slice
    std::unique_ptr<EchoSlice> slice_;  // what the conveyor reads outlives it, whatever is thrown
    EchoConveyor conveyor_;
    std::unique_ptr<StepRunner> runner_;
    std::unique_ptr<DeviceStopwatch> watch_;  // of the first step
    double watched_s_ = 0;                    // of the blocks before
    BlockKind kind_;
    std::weak_ptr<const BlockFormation> formation_;  // of the last block: the same again is of its kind
    EchoDecoding decoding_;
    std::string algorithm_;  // of the runner
    std::int64_t lines_at_once_ = 0;
};

}  // namespace cornerturn
