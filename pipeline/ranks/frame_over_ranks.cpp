// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/frame_over_ranks.h"

#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "kernels/interrupt.h"
#include "pipeline/echo/echo_conveyor.h"
#include "pipeline/echo/echo_part.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/ranks/pixels.h"
#include "pipeline/ranks/rank_part.h"
#include "pipeline/ranks/traffic.h"
#include "pipeline/run/frame_stages.h"
#include "pipeline/run/frame_work.h"
#include "pipeline/run/image_header.h"

namespace cornerturn {
namespace {

class RankRun {
public:
    RankRun(Ranks& ranks, Device& device, EchoSource& frame, const FocusOptions& options, ImageSink* file,
            const std::function<void()>& interrupted, const Progress& progress, FocusReport& report)
        : traffic_(ranks, interrupted),
          ranks_(ranks),
          device_(device),
          frame_(frame.acquisition()),
          options_(options),
          file_(file),
          stages_(report, progress),
          report_(report),
          block_(report.setup.memory.blocks.front()),
          lines_(frame, block_.first_line, block_.lines),
          // Slabs differ by a line: all ranks ask for those of the largest.
          chunk_lines_(chunk_lines(EchoSlice(lines_, 0, Slabs{block_.lines, ranks.size()}.largest()))),
          cut_(device, algorithm_of(frame_, report.setup, 0), hints(), static_cast<std::size_t>(ranks.size()),
               narrow_strips),
          part_(ranks, device, cut_, traffic_, chunk_lines_),
          at_once_(std::clamp<std::int64_t>(samples_at_once / cut_.columns(), 1, block_.rows)) {}

    void run() {
        const TransferCount before = device_.transferred();
        if (file_ != nullptr) file_->begin(image_header(frame_, options_, report_.setup));
        report_.setup.memory.lowering = cut_.report();
        stages_.end("plan", 0);
        take_lines();
        StageClock clock;
        part_.finish();
        const double waited_s = part_.waited_s();
        stages_.end("azimuth_compression", 0.9, {{"compute", clock.lap() - waited_s}});
        ranks_.leads() ? gather() : send();
        traffic_.finish();
        if (file_ != nullptr) file_->block_done();
        ++report_.blocks_formed;
        report_.transferred += device_.transferred() - before;
    }

private:
    static constexpr std::int64_t samples_at_once = std::int64_t{2} << 20;  // of rows on their way to the file
    static constexpr std::size_t rows_ahead = 2;

    LoweringHints hints() const {
        LoweringHints hints = options_.lowering;
        hints.block_lines = chunk_lines_;
        return hints;
    }

    void take_lines() {
        const Interval own = part_.lines();
        double read_s = 0, compute_s = 0;
        if (own.first < own.last) {
            EchoSlice slab(lines_, own.first, own.last - own.first);
            const Acquisition& acquisition = slab.acquisition();
            NonFiniteCount non_finite(device_, acquisition);
            EchoConveyor conveyor(device_);
            conveyor.start(slab, chunk_lines_);
            conveyor.carry([&](const EchoConveyor::Chunk& chunk) {
                StageClock clock;
                non_finite.add(chunk);
                part_.take_lines(chunk.lines, own.first + chunk.first_line);
                compute_s += clock.lap();
                stages_.tell("range_compression",
                             0.3 * static_cast<double>(chunk.first_line) / static_cast<double>(acquisition.lines));
            });
            report_.non_finite_samples = non_finite.result();
            device_.synchronize();  // before the conveyor's memory goes
            read_s = conveyor.read_s();
        }
        stages_.end("range_compression", 0.3, {{"read", read_s}, {"compute", compute_s}});
    }

    std::int64_t chunks() const { return (block_.rows + at_once_ - 1) / at_once_; }
    std::int64_t rows_of(std::int64_t chunk) const { return std::min(at_once_, block_.rows - chunk * at_once_); }
    std::int64_t columns_of(int rank) const {
        const Interval columns = cut_.columns_of(static_cast<std::size_t>(rank));
        return columns.last - columns.first;
    }
    std::size_t bytes_of(std::int64_t chunk, int rank) const {
        return cornerturn::bytes_of(rows_of(chunk) * columns_of(rank));
    }

    /// Some rows of own columns, as fast as rank 0 takes them.
    void send() {
        std::vector<Traffic::Ticket> sent;
        for (std::int64_t chunk = 0; chunk < chunks(); ++chunk) {
            if (sent.size() >= rows_ahead) traffic_.wait(std::span(sent).last(rows_ahead).first(1));
            const SharedPixels pixels = pixels_for(rows_of(chunk) * columns_of(ranks_.rank()));
            part_.copy_rows(chunk * at_once_, rows_of(chunk), pixels.get());
            sent.push_back(traffic_.send(0, cornerturn::bytes_of(pixels), bytes_of(chunk, ranks_.rank())));
        }
        traffic_.wait(sent);
        stages_.end("write", 1, {{"write", 0}});
    }

    /// The same rows of all ranks' columns.
    struct RowChunk {
        std::vector<SharedPixels> of_rank;
        std::vector<Traffic::Ticket> tickets;
    };
    RowChunk ask_for(std::int64_t chunk) {
        RowChunk asked;
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            asked.of_rank.push_back(pixels_for(rows_of(chunk) * columns_of(rank)));
            if (rank > 0)
                asked.tickets.push_back(
                    traffic_.receive(rank, cornerturn::bytes_of(asked.of_rank.back()), bytes_of(chunk, rank)));
        }
        return asked;
    }

    void gather() {
        std::vector<RowChunk> asked;
        for (std::int64_t chunk = 0; chunk < std::min<std::int64_t>(rows_ahead, chunks()); ++chunk)
            asked.push_back(ask_for(chunk));
        std::vector<std::complex<float>> rows(static_cast<std::size_t>(at_once_ * cut_.columns()));
        double write_s = 0;
        for (std::int64_t chunk = 0; chunk < chunks(); ++chunk) {
            throw_if_interrupted();
            RowChunk& here = asked[static_cast<std::size_t>(chunk) % asked.size()];
            part_.copy_rows(chunk * at_once_, rows_of(chunk), here.of_rank[0].get());
            traffic_.wait(here.tickets);
            put_together(here, rows_of(chunk), rows);
            if (const auto next = chunk + static_cast<std::int64_t>(asked.size()); next < chunks())
                here = ask_for(next);
            StageClock clock;
            write(chunk, std::span(rows).first(static_cast<std::size_t>(rows_of(chunk) * cut_.columns())));
            write_s += clock.lap();
        }
        stages_.end("write", 1, {{"write", write_s}});
    }

    void put_together(const RowChunk& chunk, std::int64_t count, std::vector<std::complex<float>>& rows) const {
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            const std::int64_t width = columns_of(rank), first = cut_.columns_of(static_cast<std::size_t>(rank)).first;
            const std::complex<float>* from = chunk.of_rank[static_cast<std::size_t>(rank)].get();
            for (std::int64_t row = 0; row < count; ++row)
                std::copy_n(from + row * width, width, rows.begin() + row * cut_.columns() + first);
        }
    }

    void write(std::int64_t chunk, std::span<const std::complex<float>> rows) {
        const std::int64_t first = block_.first_row + chunk * at_once_;
        check_finite(rows, first, cut_.columns(), report_.acquisition);
        file_->write(first, rows);
        stages_.tell("write", 0.9 + 0.1 * static_cast<double>(chunk) / static_cast<double>(chunks()));
    }

    Traffic traffic_;  // first: whatever fails from here on, others hear of it
    Ranks& ranks_;
    Device& device_;
    const Acquisition& frame_;
    const FocusOptions& options_;
    ImageSink* file_;
    FrameStages stages_;
    FocusReport& report_;
    const AzimuthBlock block_;
    EchoSlice lines_;
    std::int64_t chunk_lines_;
    FrameCut cut_;
    RankPart part_;
    std::int64_t at_once_;
};

}  // namespace

FocusReport form_over_ranks(Ranks& ranks, Device& device, EchoSource& frame, const FocusOptions& options,
                            FocusSetup setup, std::int64_t rows_there, ImageSink* file,
                            const std::function<void()>& interrupted, const Progress& progress) {
    FocusReport report;
    begin_report(frame.acquisition(), std::move(setup), report);
    const bool there = blocks_there(report.setup.memory.blocks, rows_there) > 0;
    if (!there) RankRun(ranks, device, frame, options, file, interrupted, progress, report).run();
    if (there && file != nullptr) file->begin(image_header(frame.acquisition(), options, report.setup));
    report.stored_bytes = frame.stored_bytes();
    return report;
}

}  // namespace cornerturn
