// SPDX-License-Identifier: Apache-2.0
// One frame over ranks: what one of them has of it. It compresses some of the lines in range, sends every rank the
// range cells that it makes its columns of the image of, and makes its own columns strip by strip, while the cells of
// the next strip are on their way.
//
// Lines are packed for whom they go to as soon as they are compressed, and leave the memory with the messages; a
// strip's working memory goes with the strip. So a rank of N holds little more than an N-th of the range-compressed
// frame, or of the image, at a time (strip_by_strip_bytes), where one process holds the frame twice.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/plan/frame_cut.h"
#include "pipeline/ranks/traffic.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {

class RankPart {
public:
    /// All must outlive it; the same cut and chunks on all ranks.
    RankPart(const Ranks& ranks, Device& device, const FrameCut& cut, Traffic& traffic, std::int64_t chunk_lines);

    /// Of the frame, those that this rank takes.
    Interval lines() const { return cut_.lines_of(self_); }
    /// Lines as stored, in order, from `first_line` of the frame on: chunk_lines of them, or all that are left.
    void take_lines(const Matrix& lines, std::int64_t first_line);
    /// The rest, once all its lines were taken: leaves the columns of the image.
    void finish();

    /// Rows of its columns, rows * columns of them packed.
    void copy_rows(std::int64_t first_row, std::int64_t rows, std::complex<float>* to) const;

    /// How long it waited for others.
    double waited_s() const { return waited_s_; }

private:
    using Bytes = std::shared_ptr<std::byte>;
    using Tickets = std::vector<Traffic::Ticket>;
    /// Cells of a strip of all lines, which come from all ranks.
    struct Arriving {
        Bytes cells;
        Tickets tickets;
    };
    struct MadeStrip {
        Interval columns;
        Bytes pixels;  // rows x columns, complex64
    };

    std::size_t row_bytes(const FrameCut::Strip& strip) const;
    StepRunner& runner_of(Interval lines);
    void pack(const Matrix& compressed, std::int64_t first_line);
    void send(std::size_t to, std::size_t strip, Interval lines);
    void send_rest();
    void expect(std::size_t strip);
    void wait(const Tickets& tickets);
    Matrix input_of(StepRunner& runner, const FrameCut::Strip& strip, const Bytes& cells);
    void make(std::size_t strip);

    Device& device_;
    const FrameCut& cut_;
    Traffic& traffic_;
    std::size_t self_;
    std::int64_t chunk_lines_;
    SampleFormat native_;
    bool in_host_memory_;

    std::unique_ptr<StepRunner> runner_;
    std::vector<std::byte> downloaded_;       // where the device has memory of its own
    std::vector<std::vector<Bytes>> packed_;  // [rank][strip]: own lines x its cells
    std::vector<Tickets> sent_;               // [strip]
    std::vector<Arriving> arriving_;          // [strip]
    std::vector<MadeStrip> image_;            // from left to right
    double waited_s_ = 0;
};

}  // namespace cornerturn
