// SPDX-License-Identifier: Apache-2.0
// Stage reports of a frame while it is processed, and counts of its lines.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/device/device.h"
#include "pipeline/echo/echo_conveyor.h"
#include "pipeline/echo/progress.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/run/focus_report.h"
#include "pipeline/run/frame_work.h"

namespace cornerturn {

/// Stages one after the other: how long each took goes into the report.
class FrameStages {
public:
    /// Both must outlive it.
    FrameStages(FocusReport& report, const Progress& progress) : report_(report), progress_(progress) {}

    void tell(std::string_view stage, double done) const {
        if (progress_) progress_(stage, done);
    }
    void end(std::string stage, double done, std::vector<BusyTime> busy = {}) {
        const double seconds = clock_.lap();
        report_.wall_s += seconds;
        tell(stage, done);
        report_.add({std::move(stage), seconds, std::move(busy)});
    }

private:
    FocusReport& report_;
    const Progress& progress_;
    StageClock clock_;
};

/// Counts samples that are no numbers, in lines that may have some.
class NonFiniteCount {
public:
    /// The device must outlive it.
    NonFiniteCount(Device& device, const Acquisition& lines)
        : device_(device), decoding_(lines.decoding), may_have_some_(has_floating_point_samples(lines)) {}
    /// Counts the lines of a chunk, except the first `known` lines of the frame.
    void add(const EchoConveyor::Chunk& chunk, std::int64_t known = 0) {
        if (!may_have_some_) return;
        const std::int64_t here = std::clamp<std::int64_t>(known - chunk.first_line, 0, chunk.lines.rows);
        if (!counter_) counter_ = device_.non_finite_counter(decoding_);
        counter_->add(chunk.lines.rows_from(here, chunk.lines.rows - here));
    }
    /// What nobody had to look through counts as finite.
    std::optional<std::int64_t> result() {
        if (!may_have_some_) return std::nullopt;
        return counter_ ? counter_->result() : 0;
    }

private:
    Device& device_;
    EchoDecoding decoding_;
    bool may_have_some_;
    std::unique_ptr<NonFiniteCounter> counter_;
};

}  // namespace cornerturn
