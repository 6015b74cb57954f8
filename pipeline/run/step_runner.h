// SPDX-License-Identifier: Apache-2.0
// The one runner of all algorithms: owns the matrices, goes through the steps in order, shows them, records them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/device/device.h"
#include "pipeline/echo/progress.h"

namespace cornerturn {

/// Called after each step with its name, its matrix and the meaning of rows and columns.
using StageObserver =
    std::function<void(std::string_view stage, const Matrix& matrix, std::string_view rows, std::string_view columns)>;

/// Steps made ready on one device, and the matrices that they need: made once, they serve frame after frame. Like the
/// device, for one thread at a time.
class StepRunner {
public:
    /// The device must outlive the runner.
    StepRunner(Device& device, const Algorithm& algorithm, const LoweringHints& hints = {});

    const LoweringReport& report() const { return lowered_.report; }

    /// Takes the lines of a frame that begin with `first_line`, as stored, through the first step; the blocks of a
    /// frame may have any sizes and come in any order.
    void take_lines(const Matrix& lines, std::int64_t first_line);
    /// The other steps, once all lines were taken. Returns the image: in `room`, where that is given, of its shape and
    /// as good as memory that the device allocates; else in storage that the next frame takes again.
    ///
    /// A device with memory of its own is asked for all steps at once, so that it does not wait for the host between
    /// them; `progress` is told of each step when it has ended.
    Matrix finish(const Progress& progress = {}, const StageObserver& observer = {},
                  const std::optional<Matrix>& room = {});
    /// Whether the first step notices samples of the echo that are not finite.
    bool notices_echo() const;
    /// Whether there may have been some since this was last asked. After finish().
    bool noticed_in_echo();
    /// Whether the last step looked, and all of the image is finite. After finish(), once.
    bool surely_finite();
    /// take_lines of the whole echo, and finish. The echo's memory is given up as soon as the first step is through.
    Matrix run(Matrix echo, const Progress& progress = {}, const StageObserver& observer = {});

    // For steps that begin with a matrix of native samples instead of an echo.
    /// Allocates such a matrix with the memory that the first step needs, which may exceed its shape.
    Matrix storage_for_input(std::int64_t rows, std::int64_t columns);
    /// Starts all steps asynchronously; returns where the result will be. The input may be overwritten.
    Matrix run_native(const Matrix& in);

    /// The result of the first step, for all lines taken so far.
    const Matrix& result_of_lines() const { return results_[0]; }
    /// Starts the other steps asynchronously.
    void run_rest();

    /// Prepares it for another frame of the same kind, which differs in the decoding of samples only. False: not
    /// possible.
    bool decode_as(const EchoDecoding& decoding);

    /// The whole list over a frame that lies on the device, recorded to be replayed; the frame and the runner must
    /// outlive it. `result()` then holds the image.
    std::unique_ptr<Recording> record(const Matrix& echo);
    const Matrix& result();

    /// Runs one step again, for benches: 0 is the first one, which wants the whole echo.
    std::size_t steps() const { return lowered_.steps.size(); }
    std::string_view name(std::size_t step) const { return lowered_.steps[step].name; }
    void run_step(std::size_t step, const Matrix& echo);

private:
    void make_room();
    bool takes(const Matrix& room) const;
    void mark_end(std::size_t step);

    Device& device_;
    Lowered lowered_;
    // Two storages stay resident; the steps that need them pass the data to and fro between them. The second one comes
    // with the first use of it: until then an echo may lie in its place.
    std::vector<Matrix> results_;  // of each step
    bool second_made_ = false;
    std::vector<std::unique_ptr<DeviceStopwatch>> ends_;  // of each step, where several are under way
};

}  // namespace cornerturn
