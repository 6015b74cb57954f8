// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/frame_in_slabs.h"

#include <algorithm>
#include <complex>
#include <future>
#include <utility>

#include "kernels/host/same_job.h"
#include "kernels/interrupt.h"
#include "pipeline/echo/echo_conveyor.h"
#include "pipeline/echo/echo_part.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/plan/azimuth_blocks.h"
#include "pipeline/run/frame_stages.h"
#include "pipeline/run/frame_work.h"
#include "pipeline/run/image_header.h"
#include "pipeline/run/shared_frame.h"

namespace cornerturn {
namespace {

using Rows = std::vector<std::complex<float>>;

LoweringHints hints_for(const FocusOptions& options, EchoSource& lines) {
    LoweringHints hints = options.lowering;
    hints.block_lines = chunk_lines(lines);
    return hints;
}

class SlabRun {
public:
    SlabRun(std::span<Device* const> devices, EchoSource& frame, const FocusOptions& options, ImageSink& sink,
            const Progress& progress, FocusReport& report)
        : devices_(devices),
          block_(report.setup.memory.blocks.front()),
          lines_(frame, block_.first_line, block_.lines),
          options_(options),
          timeline_(options.timeline.get()),
          sink_(sink),
          stages_(report, progress),
          report_(report) {
        for (const Device* device : devices) {
            shares_.push_back({.device = device->info().name, .blocks = 1});
            before_.push_back(device->transferred());
        }
        for (Device* device : devices)
            if (timeline_) device->take_bus_spans();  // of others
    }

    std::vector<DeviceShare> run(const Acquisition& frame) {
        const auto begin = Timeline::Clock::now();
        SharedFrame shared(devices_, algorithm_of(frame, report_.setup, 0), hints_for(options_, lines_));
        report_.setup.memory.lowering = shared.report();
        if (timeline_) timeline_->note(lane::plan, "make steps ready", begin, Timeline::Clock::now());
        stages_.end("plan", 0);
        take_lines(shared);
        {
            const TimelineSpan span(timeline_, lane::compute, "azimuth_compression");
            shared.finish();
            shared.wait();
        }
        stages_.end("azimuth_compression", 0.9);
        write(shared);
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            report_.transferred += devices_[i]->transferred() - before_[i];
            note_copies(*devices_[i], timeline_, i);
            shares_[i].busy_s = report_.wall_s;
        }
        return std::move(shares_);
    }

    FrameStages& stages() { return stages_; }

private:
    /// In the order of the file, which one reader goes through: a device's lines come when those of the one before are
    /// there.
    void take_lines(SharedFrame& shared) {
        const Acquisition& acquisition = lines_.acquisition();
        double read_s = 0;
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            const std::int64_t first = shared.lines().first(static_cast<int>(i)),
                               count = shared.lines().size(static_cast<int>(i));
            if (count == 0) continue;
            EchoSlice slab(lines_, first, count);
            NonFiniteCount non_finite(*devices_[i], slab.acquisition());
            EchoConveyor conveyor(*devices_[i], timeline_);
            const auto watch = devices_[i]->stopwatch();
            conveyor.start(slab, chunk_lines(lines_));
            conveyor.carry([&](const EchoConveyor::Chunk& part) {
                watch->start();
                non_finite.add(part);
                shared.take_lines(i, part.lines, first + part.first_line);
                watch->stop();
                stages_.tell("range_compression", 0.3 * static_cast<double>(first + part.first_line) /
                                                      static_cast<double>(acquisition.lines));
            });
            if (const auto counted = non_finite.result())
                report_.non_finite_samples = report_.non_finite_samples.value_or(0) + *counted;
            devices_[i]->synchronize();  // before the conveyor's memory goes
            read_s += conveyor.read_s();
            if (timeline_) timeline_->note(lane_of_device(lane::compute, i), "range_compression", watch->take_spans());
        }
        stages_.end("range_compression", 0.3, {{"read", read_s}});
    }

    /// Some rows are on their way from the devices while those before them are written.
    void write(SharedFrame& shared) {
        const std::vector<ImageStrip> strips = shared.image();
        const std::int64_t columns = report_.setup.image.grid.columns, rows = block_.rows;
        const std::int64_t at_once =
            std::clamp<std::int64_t>(samples_at_once / std::max<std::int64_t>(columns, 1), 1, rows);
        const auto fetch = [&](std::int64_t first) {
            const TimelineSpan span(timeline_, lane::gather, "rows");
            Rows some(static_cast<std::size_t>(std::min(at_once, rows - first) * columns));
            download_rows(devices_, strips, first, std::min(at_once, rows - first), some);
            return some;
        };
        std::future<Rows> next = std::async(std::launch::async, in_same_job(fetch), std::int64_t{0});
        double write_s = 0;
        for (std::int64_t first = 0; first < rows; first += at_once) {
            throw_if_interrupted();
            const Rows some = next.get();
            if (first + at_once < rows) next = std::async(std::launch::async, in_same_job(fetch), first + at_once);
            StageClock clock;
            {
                const TimelineSpan span(timeline_, lane::compute, "check");
                check_finite(some, block_.first_row + first, columns, report_.acquisition);
            }
            sink_.write(block_.first_row + first, some);
            write_s += clock.lap();
            stages_.tell("write", 0.9 + 0.1 * static_cast<double>(first) / static_cast<double>(rows));
        }
        stages_.end("write", 1, {{"write", write_s}});
    }

    static constexpr std::int64_t samples_at_once = std::int64_t{1} << 24;

    std::span<Device* const> devices_;
    const AzimuthBlock block_;
    EchoSlice lines_;
    const FocusOptions& options_;
    Timeline* timeline_;
    ImageSink& sink_;
    FrameStages stages_;
    FocusReport& report_;
    std::vector<DeviceShare> shares_;
    std::vector<TransferCount> before_;
};

}  // namespace

std::vector<DeviceShare> form_in_slabs(std::span<Device* const> devices, EchoSource& frame, const FocusOptions& options,
                                       ImageSink& sink, const Progress& progress, FocusReport& report) {
    SlabRun run(devices, frame, options, sink, progress, report);
    sink.begin(image_header(frame.acquisition(), options, report.setup));
    run.stages().end("set_up", 0);
    if (blocks_there(report.setup.memory.blocks, sink.rows_there()) > 0) return {};
    std::vector<DeviceShare> shares = run.run(frame.acquisition());
    sink.block_done();
    ++report.blocks_formed;
    report.stored_bytes = frame.stored_bytes();
    return shares;
}

}  // namespace cornerturn
