// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/frame_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/errors.h"
#include "pipeline/run/frame_work.h"
#include "pipeline/run/image_header.h"

namespace cornerturn {

void FrameRun::process(EchoSource& source, FocusReport& report, ImageSink& sink, const StageObserver& observer,
                       std::size_t first, std::size_t end, const std::function<bool(std::size_t block)>& mine) {
    const TransferCount before = device_.transferred();
    if (options_.timeline) device_.take_bus_spans();  // of others
    const FocusSetup& setup = report.setup;
    const std::vector<AzimuthBlock>& blocks = setup.memory.blocks;
    const bool added_up = are_added_up(blocks);
    end = std::min(end, blocks.size());
    if (first == 0) {
        sink.begin(header_of(source.acquisition(), setup));
        stage(report, "set_up", 0);
    }
    const std::size_t there = blocks_there(blocks, sink.rows_there());
    first = std::max(first, there);
    former_.stop();
    std::vector<std::size_t> to_do;
    for (std::size_t i = first; i < end; ++i)
        if (!mine || mine(i)) to_do.push_back(i);
    std::size_t last = blocks.size() - 1;  // of the frame, that is made here in this call or a later one
    while (mine && last > 0 && !mine(last)) --last;
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
                         added_up ? std::nullopt : sink.room_on(device_, blocks[i].first_row, blocks[i].rows));
        if (!formed.given_up.empty()) report.warnings.push_back(formed.given_up);
        if (n == 0) {
            report.plans_reused = formed.plans_reused;
            report.setup.memory.lowering = former_.lowering();
        }
        // Where it was this block's, the steps have its tables by now.
        if (auto& kept = report.setup.memory.largest; kept && kept->block() == blocks[i]) kept.reset();
        if (formed.non_finite_samples)
            report.non_finite_samples = report.non_finite_samples.value_or(0) + *formed.non_finite_samples;
        added_up ? add(formed.rows, i == last, sink, report) : write(formed, blocks[i].first_row, sink, report);
        note_copies(device_, options_.timeline.get(), 0);
        sink.block_done();
        ++report.blocks_formed;
    }
    report.transferred += device_.transferred() - before;
    if (first < end) report.stored_bytes = source.stored_bytes();
}

const Image& FrameRun::header_of(const Acquisition& frame, const FocusSetup& setup) {
    const auto& plan = setup.memory.largest;
    if (plan == nullptr || header_.plan.lock() != plan || header_.frame != frame)
        header_ = {plan, frame, image_header(frame, options_, setup)};
    return header_.image;
}

void FrameRun::tell(std::string_view name, double done) {
    if (progress_) progress_(name, done_ + share_ * done);
}

void FrameRun::stage(FocusReport& report, std::string_view name, double done, std::vector<BusyTime> busy) {
    const double seconds = clock_.lap();
    report.wall_s += seconds;
    report.add({std::string(name), seconds, std::move(busy)});
    tell(name, done);
}

void FrameRun::write(const FormedBlock& formed, std::int64_t first_row, ImageSink& sink, FocusReport& report) {
    const Matrix& image = formed.rows;
    if (std::optional<Matrix> room = sink.room_on(device_, first_row, image.rows)) {
        const bool is_there = image.storage.get() == room->storage.get();
        if ((is_there && formed.surely_finite) || device_.copy_finite(image, *room)) return stage(report, "write", 1.0);
    }
    const double downloaded_s = device_.transferred().download_s;
    double write_s = 0;
    const bool finite = formed.surely_finite || is_finite(device_, image);
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
    stage(report, "write", 1.0, {{"download", device_.transferred().download_s - downloaded_s}, {"write", write_s}});
}

void FrameRun::add(const Matrix& image, bool last, ImageSink& sink, FocusReport& report) {
    if (sum_.empty()) sum_.assign(report.setup.image.grid.pixels(), {0, 0});
    const double downloaded_s = device_.transferred().download_s;
    device_.download_rows(image, [&](std::int64_t row, std::span<const std::complex<float>> rows) {
        add_to(sum_.data() + row * image.columns, rows);
    });
    stage(report, "write", 1.0, {{"download", device_.transferred().download_s - downloaded_s}});
    if (!last) return;
    StageClock clock;
    check_finite(sum_, 0, image.columns, report.acquisition);
    if (std::optional<Matrix> room = sink.room_on(device_, 0, image.rows)) {
        device_.upload(std::as_bytes(std::span(sum_)), *room);
        device_.synchronize();
    } else {
        constexpr std::int64_t pixels_at_once = 1 << 22;
        const std::int64_t rows_at_once = std::max<std::int64_t>(1, pixels_at_once / image.columns);
        for (std::int64_t row = 0; row < image.rows; row += rows_at_once) {
            const std::int64_t count = std::min(rows_at_once, image.rows - row);
            sink.write(row, std::span(sum_).subspan(static_cast<std::size_t>(row * image.columns),
                                                    static_cast<std::size_t>(count * image.columns)));
        }
    }
    sum_ = {};
    stage(report, "write", 1.0, {{"write", clock.lap()}});
}

std::vector<FocusReport> FrameRun::process_all(std::span<EchoSource* const> frames, std::vector<FocusSetup> setups,
                                               ImageSink& sink, const FrameObserver& observer,
                                               const BlockFilter& mine) {
    std::vector<FocusReport> reports(frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const Acquisition& frame = frames[i]->acquisition();
        // Before the observer is made, which makes a folder.
        const std::size_t blocks = setups[i].memory.blocks.size();
        if (observer && blocks > 1)
            throw InputError(fmt::format(
                "--dump-stages: the image is made in {} blocks, for its memory or as the track bends, and stages of "
                "blocks are not shown; take fewer --lines",
                blocks));
        begin_report(frame, std::move(setups[i]), reports[i]);
        const auto of_frame = [&](std::size_t block) { return !mine || mine(i, block); };
        process(*frames[i], reports[i], sink, observer ? observer(frame) : StageObserver{}, 0, SIZE_MAX, of_frame);
        if (!mine) add_doubts(reports[i]);
    }
    return reports;
}

std::vector<FocusReport> focus_planned_frames(Device& device, std::span<EchoSource* const> frames,
                                              const FocusOptions& options, std::vector<FocusSetup> setups,
                                              ImageSink& sink, const Progress& progress, const BlockFilter& mine) {
    return FrameRun(device, options, progress).process_all(frames, std::move(setups), sink, {}, mine);
}

}  // namespace cornerturn
