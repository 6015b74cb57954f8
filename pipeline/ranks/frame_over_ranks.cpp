// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/frame_over_ranks.h"

#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/interrupt.h"
#include "pipeline/echo/echo_conveyor.h"
#include "pipeline/echo/echo_part.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/ranks/rank_frame.h"
#include "pipeline/ranks/traffic.h"
#include "pipeline/run/frame_work.h"
#include "pipeline/run/image_header.h"

namespace cornerturn {
namespace {

using RankPixels = std::shared_ptr<std::complex<float>>;

RankPixels pixels_for(std::int64_t count) {
    return {new std::complex<float>[static_cast<std::size_t>(count)], std::default_delete<std::complex<float>[]>()};
}

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
          progress_(progress),
          report_(report),
          block_(report.setup.memory.blocks.front()),
          lines_(frame, block_.first_line, block_.lines),
          // Slabs differ by a line: all ranks ask for those of the largest.
          chunk_lines_(block_lines(EchoSlice(lines_, 0, Slabs{block_.lines, ranks.size()}.largest()))),
          cut_(device, algorithm_of(frame_, report.setup, 0), hints(), static_cast<std::size_t>(ranks.size()),
               narrow_strips),
          part_(ranks, device, cut_, traffic_, chunk_lines_),
          at_once_(std::clamp<std::int64_t>(samples_at_once / cut_.columns(), 1, block_.rows)) {}

    void run() {
        const TransferCount before = device_.transferred();
        if (file_ != nullptr) file_->begin(image_header(frame_, options_, report_.setup));
        report_.setup.memory.lowering = cut_.report();
        stage("plan", 0);
        take_lines();
        StageClock clock;
        part_.finish();
        const double waited_s = part_.waited_s();
        stage("azimuth_compression", 0.9, {{"compute", clock.lap() - waited_s}});
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

    void tell(std::string_view name, double done) const {
        if (progress_) progress_(name, done);
    }
    void stage(std::string name, double done, std::vector<BusyTime> busy = {}) {
        const double seconds = clock_.lap();
        report_.wall_s += seconds;
        tell(name, done);
        report_.add({std::move(name), seconds, std::move(busy)});
    }

    void take_lines() {
        const Interval own = part_.lines();
        double read_s = 0, compute_s = 0;
        if (own.first < own.last) {
            EchoSlice slab(lines_, own.first, own.last - own.first);
            const Acquisition& acquisition = slab.acquisition();
            const auto sums = has_floating_point_samples(acquisition)
                                  ? device_.reduction(acquisition.lines, acquisition.samples, acquisition.decoding)
                                  : nullptr;
            EchoConveyor conveyor(device_);
            conveyor.start(slab, chunk_lines_);
            conveyor.carry([&](const EchoConveyor::Block& chunk) {
                StageClock clock;
                if (sums) sums->add(chunk.lines, chunk.first_line, chunk.lines.rows);
                part_.take_lines(chunk.lines, own.first + chunk.first_line);
                compute_s += clock.lap();
                tell("range_compression",
                     0.3 * static_cast<double>(chunk.first_line) / static_cast<double>(acquisition.lines));
            });
            if (sums) report_.non_finite_samples = sums->result().non_finite;
            device_.synchronize();  // before the conveyor's memory goes
            read_s = conveyor.read_s();
        }
        stage("range_compression", 0.3, {{"read", read_s}, {"compute", compute_s}});
    }

    std::int64_t bunches() const { return (block_.rows + at_once_ - 1) / at_once_; }
    std::int64_t rows_of(std::int64_t bunch) const { return std::min(at_once_, block_.rows - bunch * at_once_); }
    std::int64_t columns_of(int rank) const {
        const Interval columns = cut_.columns_of(static_cast<std::size_t>(rank));
        return columns.last - columns.first;
    }
    std::size_t bytes_of(std::int64_t bunch, int rank) const {
        return static_cast<std::size_t>(rows_of(bunch) * columns_of(rank)) * sizeof(std::complex<float>);
    }
    static std::shared_ptr<std::byte> as_bytes(const RankPixels& pixels) {
        return {pixels, reinterpret_cast<std::byte*>(pixels.get())};
    }

    /// Some rows of own columns, as fast as rank 0 takes them.
    void send() {
        std::vector<Traffic::Ticket> sent;
        for (std::int64_t bunch = 0; bunch < bunches(); ++bunch) {
            if (sent.size() >= rows_ahead) traffic_.wait(std::span(sent).last(rows_ahead).first(1));
            const RankPixels pixels = pixels_for(rows_of(bunch) * columns_of(ranks_.rank()));
            part_.copy_rows(bunch * at_once_, rows_of(bunch), pixels.get());
            sent.push_back(traffic_.send(0, as_bytes(pixels), bytes_of(bunch, ranks_.rank())));
        }
        traffic_.wait(sent);
        stage("write", 1, {{"write", 0}});
    }

    /// The same rows of all ranks' columns.
    struct Bunch {
        std::vector<RankPixels> of_rank;
        std::vector<Traffic::Ticket> tickets;
    };
    Bunch ask_for(std::int64_t bunch) {
        Bunch asked;
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            asked.of_rank.push_back(pixels_for(rows_of(bunch) * columns_of(rank)));
            if (rank > 0)
                asked.tickets.push_back(traffic_.receive(rank, as_bytes(asked.of_rank.back()), bytes_of(bunch, rank)));
        }
        return asked;
    }

    void gather() {
        std::vector<Bunch> asked;
        for (std::int64_t bunch = 0; bunch < std::min<std::int64_t>(rows_ahead, bunches()); ++bunch)
            asked.push_back(ask_for(bunch));
        std::vector<std::complex<float>> rows(static_cast<std::size_t>(at_once_ * cut_.columns()));
        double write_s = 0;
        for (std::int64_t bunch = 0; bunch < bunches(); ++bunch) {
            throw_if_interrupted();
            Bunch& here = asked[static_cast<std::size_t>(bunch) % asked.size()];
            part_.copy_rows(bunch * at_once_, rows_of(bunch), here.of_rank[0].get());
            traffic_.wait(here.tickets);
            put_together(here, rows_of(bunch), rows);
            if (const auto next = bunch + static_cast<std::int64_t>(asked.size()); next < bunches())
                here = ask_for(next);
            StageClock clock;
            write(bunch, std::span(rows).first(static_cast<std::size_t>(rows_of(bunch) * cut_.columns())));
            write_s += clock.lap();
        }
        stage("write", 1, {{"write", write_s}});
    }

    void put_together(const Bunch& bunch, std::int64_t count, std::vector<std::complex<float>>& rows) const {
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            const std::int64_t width = columns_of(rank), first = cut_.columns_of(static_cast<std::size_t>(rank)).first;
            const std::complex<float>* from = bunch.of_rank[static_cast<std::size_t>(rank)].get();
            for (std::int64_t row = 0; row < count; ++row)
                std::copy_n(from + row * width, width, rows.begin() + row * cut_.columns() + first);
        }
    }

    void write(std::int64_t bunch, std::span<const std::complex<float>> rows) {
        const std::int64_t first = block_.first_row + bunch * at_once_;
        check_finite(rows, first, cut_.columns(), report_.acquisition);
        file_->write(first, rows);
        tell("write", 0.9 + 0.1 * static_cast<double>(bunch) / static_cast<double>(bunches()));
    }

    Traffic traffic_;  // first: whatever fails from here on, others hear of it
    Ranks& ranks_;
    Device& device_;
    const Acquisition& frame_;
    const FocusOptions& options_;
    ImageSink* file_;
    const Progress& progress_;
    FocusReport& report_;
    const AzimuthBlock block_;
    EchoSlice lines_;
    std::int64_t chunk_lines_;
    FrameCut cut_;
    RankFrame part_;
    std::int64_t at_once_;
    StageClock clock_;
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
