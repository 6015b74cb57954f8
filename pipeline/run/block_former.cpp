// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/block_former.h"

#include <fmt/format.h>

#include <utility>

#include "kernels/errors.h"
#include "pipeline/echo/echo_part.h"
#include "pipeline/formers/image_plan.h"
#include "pipeline/run/frame_stages.h"

namespace cornerturn {
namespace {

// Of a block, when a stage ends: range compression, all steps, writing.
constexpr double lines_taken_part = 0.3, steps_part = 0.6;

/// On the grid of any sum over pulses.
constexpr std::string_view exact_sum = "backprojection";

}  // namespace

BlockKind::BlockKind(const Acquisition& slice, const ImagePlan& plan)
    : acquisition(slice), image(plan), delay_lines(image_delay_lines(slice, plan.grid)) {
    acquisition.decoding = {};
    acquisition.truth.clear();
    acquisition.true_phase_error_rad.clear();
    acquisition.orbit.reset();
    acquisition.attitude.reset();
    acquisition.polarization.clear();
    acquisition.first_pulse_time_s = image.grid.first_time_s = 0;
    image.coverage.valid.intervals.clear();
    image.parameters.centroid_error_hz = 0;
}

void BlockFormer::start(EchoSource& frame, const AzimuthBlock& block) {
    stop();
    frame_ = &frame;
    slice_ = std::make_unique<EchoSlice>(frame, block.first_line, block.lines);
    conveyor_.start(*slice_);
}

void BlockFormer::stop() {
    conveyor_.stop();
    slice_.reset();
}

void BlockFormer::release() {
    runner_.reset();
    conveyor_.release();
}

FormedBlock BlockFormer::form(const Acquisition& frame, const FocusSetup& setup, std::size_t block_number,
                              std::int64_t counted_lines, const BlockListener& told,
                              const std::optional<Matrix>& room) {
    const AzimuthBlock& block = setup.memory.blocks[block_number];
    const ImagePlan image = setup.image_of(frame, block_number);
    EchoSource& source = *frame_;
    const auto formation = [&](std::string_view algorithm) {
        return formation_of(former_named(algorithm), slice_->acquisition(), image, block, setup.memory.largest);
    };
    try {
        return form_by(formation(setup.algorithm), counted_lines, told, room);
    } catch (const Unsupported& given_up) {
        if (options_.algorithm != automatic_algorithm || setup.algorithm == exact_sum ||
            !former_named(setup.algorithm).follows_rows)
            throw;
        start(source, block);
        FormedBlock formed = form_by(formation(exact_sum), counted_lines, told, room);
        formed.given_up = fmt::format("rows {} to {} are summed pixel by pixel, as {} gave up: {}", block.first_row,
                                      block.first_row + block.rows - 1, setup.algorithm, given_up.what());
        return formed;
    }
}

FormedBlock BlockFormer::form_by(const std::shared_ptr<const BlockFormation>& formation, std::int64_t counted_lines,
                                 const BlockListener& told, const std::optional<Matrix>& room) {
    const std::string lane = lane_of_device(lane::compute, device_number_);
    FormedBlock formed;
    {
        const TimelineSpan span(options_.timeline.get(), lane_of_device(lane::plan, device_number_),
                                "make steps ready");
        formed.plans_reused = make_ready(formation);
    }
    told.ended("plan", 0, {});
    const double uploaded_s = device_.transferred().upload_s;
    NonFiniteCount non_finite(device_, slice_->acquisition());
    // Blocks overlap: what was counted with the one before is not counted again.
    const std::int64_t known_lines = counted_lines - formation->block().first_line;
    // Lines that stay are gone through only where the first step has met something.
    const bool may_wait = conveyor_.lines_stay() && runner_->notices_echo();
    std::optional<EchoConveyor::Chunk> whole;
    take_lines(
        [&](const EchoConveyor::Chunk& part) {
            if (may_wait)
                whole = part;
            else
                non_finite.add(part, known_lines);
        },
        told);
    const double read_s = conveyor_.read_s();
    stop();
    if (told.lines_taken) told.lines_taken();
    auto begin = Timeline::Clock::now();
    bool lines_are_through = false;
    const auto ended = [&](std::string_view name, double done) {
        if (!std::exchange(lines_are_through, true)) {
            const std::vector<BusySpan> spans = watch_->take_spans();
            if (options_.timeline) options_.timeline->note(lane, name, spans);
            told.ended(name, lines_taken_part, busy_with_lines(read_s, uploaded_s));
        } else {
            if (options_.timeline) options_.timeline->note(lane, name, begin, Timeline::Clock::now());
            told.ended(name, lines_taken_part + steps_part * done, {});
        }
        begin = Timeline::Clock::now();
    };
    formed.rows = runner_->finish(ended, told.observer, room);
    if (whole && runner_->noticed_in_echo()) non_finite.add(*whole, known_lines);
    formed.non_finite_samples = non_finite.result();
    formed.surely_finite = runner_->surely_finite();
    return formed;
}

bool BlockFormer::make_ready(const std::shared_ptr<const BlockFormation>& formation) {
    const Acquisition& slice = slice_->acquisition();
    const std::int64_t at_once = conveyor_.lines_at_once();
    const bool as_before = runner_ && at_once == lines_at_once_, same_decoding = decoding_ == slice.decoding;
    if (as_before && same_decoding && formation_.lock() == formation) return true;
    formation_ = formation;
    BlockKind kind(slice, formation->image());
    const bool same = as_before && algorithm_ == formation->former() && kind == kind_ &&
                      (same_decoding || runner_->decode_as(slice.decoding));
    decoding_ = slice.decoding;
    if (same) return true;
    runner_.reset();  // first, so that old and new need not fit together
    LoweringHints hints = options_.lowering;
    hints.block_lines = at_once;
    runner_ = std::make_unique<StepRunner>(device_, formation->algorithm(), hints);
    kind_ = std::move(kind);
    algorithm_ = formation->former();
    lines_at_once_ = at_once;
    return false;
}

/// Lines come and go through the first step.
void BlockFormer::take_lines(const std::function<void(const EchoConveyor::Chunk&)>& look, const BlockListener& told) {
    const auto lines = static_cast<double>(slice_->acquisition().lines);
    if (!watch_) watch_ = device_.stopwatch();
    conveyor_.carry([&](const EchoConveyor::Chunk& part) {
        watch_->start();
        look(part);
        runner_->take_lines(part.lines, part.first_line);
        watch_->stop();
        if (told.within) told.within(runner_->name(0), lines_taken_part * static_cast<double>(part.first_line) / lines);
    });
}

std::vector<BusyTime> BlockFormer::busy_with_lines(double read_s, double uploaded_before_s) {
    const double before_s = std::exchange(watched_s_, watch_->seconds());
    return {{"read", read_s},
            {"upload", device_.transferred().upload_s - uploaded_before_s},
            {"compute", watched_s_ - before_s}};
}

}  // namespace cornerturn
