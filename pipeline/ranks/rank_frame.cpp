// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/rank_frame.h"

#include <algorithm>
#include <cstring>

#include "kernels/interrupt.h"
#include "kernels/steps/steps.h"
#include "pipeline/run/stage_clock.h"

namespace cornerturn {
namespace {

/// The same memory, from some bytes on.
std::shared_ptr<std::byte> behind(const std::shared_ptr<std::byte>& memory, std::size_t bytes) {
    return {memory, memory.get() + bytes};
}

/// Where they are compressed, and sent, at once.
template <class Take>
void for_each_chunk(Interval lines, std::int64_t chunk_lines, const Take& take) {
    for (std::int64_t first = lines.first; first < lines.last; first += chunk_lines)
        take(Interval{static_cast<std::int32_t>(first),
                      static_cast<std::int32_t>(std::min<std::int64_t>(first + chunk_lines, lines.last))});
}

}  // namespace

RankFrame::RankFrame(const Ranks& ranks, Device& device, const FrameCut& cut, Traffic& traffic,
                     std::int64_t chunk_lines)
    : device_(device),
      cut_(cut),
      traffic_(traffic),
      self_(static_cast<std::size_t>(ranks.rank())),
      chunk_lines_(chunk_lines),
      native_(device.info().native),
      in_host_memory_(device.info().shares_host_memory),
      arriving_(cut.strips_of(self_).size()) {
    const auto own = static_cast<std::size_t>(lines().last - lines().first);
    for (std::size_t to = 0; to < cut.parts(); ++to) {
        packed_.emplace_back();
        sent_.resize(std::max(sent_.size(), cut.strips_of(to).size()));
        for (const FrameCut::Strip& strip : cut.strips_of(to))
            packed_.back().push_back(own > 0 ? device.host_memory(own * row_bytes(strip)) : nullptr);
    }
    expect(0);
}

std::size_t RankFrame::row_bytes(const FrameCut::Strip& strip) const {
    return static_cast<std::size_t>(strip.cell_count()) * bytes_per_sample(native_);
}

/// Chunks of a length differ in nothing but how their samples are decoded, unless there are more passes than that.
StepRunner& RankFrame::runner_of(Interval lines) {
    const FrameCut::Work work = cut_.before(lines);
    const Steps steps = work.algorithm.steps(cut_.report().fft_lengths);
    const auto* compression = std::get_if<RangeCompression>(&steps.front().work);
    const bool same =
        runner_ && steps.size() == 1 && compression != nullptr && runner_->result().rows == lines.last - lines.first;
    if (same && runner_->decode_as(compression->decoding)) return *runner_;
    runner_.reset();
    runner_ = std::make_unique<StepRunner>(device_, work.algorithm, work.hints);
    return *runner_;
}

void RankFrame::take_lines(const Matrix& lines, std::int64_t first_line) {
    const Interval chunk{static_cast<std::int32_t>(first_line), static_cast<std::int32_t>(first_line + lines.rows)};
    StepRunner& runner = runner_of(chunk);
    runner.take_lines(lines, 0);
    runner.run_rest();
    pack(runner.result(), first_line);
    for (std::size_t k = 1; k < cut_.parts(); ++k) send((self_ + k) % cut_.parts(), 0, chunk);
}

void RankFrame::pack(const Matrix& compressed, std::int64_t first_line) {
    const std::size_t sample = bytes_per_sample(native_);
    const auto pitch = static_cast<std::size_t>(compressed.columns) * sample;
    const std::byte* from = compressed.data<std::byte>();
    if (!in_host_memory_) {
        downloaded_.resize(compressed.bytes());
        device_.download_as_stored(compressed, downloaded_);
        from = downloaded_.data();
    }
    const auto own_row = static_cast<std::size_t>(first_line - lines().first);
    const auto rows = static_cast<std::size_t>(compressed.rows);
#pragma omp parallel for
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t to = 0; to < packed_.size(); ++to)
            for (std::size_t i = 0; i < packed_[to].size(); ++i) {
                const FrameCut::Strip& strip = cut_.strips_of(to)[i];
                std::memcpy(packed_[to][i].get() + (own_row + row) * row_bytes(strip),
                            from + row * pitch + static_cast<std::size_t>(strip.cells.first) * sample,
                            row_bytes(strip));
            }
}

void RankFrame::send(std::size_t to, std::size_t strip, Interval lines) {
    if (strip >= packed_[to].size()) return;
    const std::size_t row = row_bytes(cut_.strips_of(to)[strip]);
    sent_[strip].push_back(
        traffic_.send(static_cast<int>(to),
                      behind(packed_[to][strip], static_cast<std::size_t>(lines.first - this->lines().first) * row),
                      static_cast<std::size_t>(lines.last - lines.first) * row));
}

/// Each begins with the next one, so that not all send to the same. The memory goes with the messages.
void RankFrame::send_rest() {
    for (std::size_t strip = 0; strip < sent_.size(); ++strip)
        for (std::size_t k = 1; k < cut_.parts(); ++k) {
            const std::size_t to = (self_ + k) % cut_.parts();
            if (strip > 0) for_each_chunk(lines(), chunk_lines_, [&](Interval chunk) { send(to, strip, chunk); });
            if (strip < packed_[to].size()) packed_[to][strip].reset();
        }
}

void RankFrame::expect(std::size_t strip) {
    if (strip >= arriving_.size()) return;
    const std::size_t row = row_bytes(cut_.strips_of(self_)[strip]);
    Arriving& here = arriving_[strip];
    here.cells = device_.host_memory(static_cast<std::size_t>(cut_.lines().rows) * row);
    for (std::size_t k = 1; k < cut_.parts(); ++k) {
        const std::size_t from = (self_ + cut_.parts() - k) % cut_.parts();
        for_each_chunk(cut_.lines_of(from), chunk_lines_, [&](Interval chunk) {
            here.tickets.push_back(traffic_.receive(static_cast<int>(from),
                                                    behind(here.cells, static_cast<std::size_t>(chunk.first) * row),
                                                    static_cast<std::size_t>(chunk.last - chunk.first) * row));
        });
    }
}

void RankFrame::wait(const Tickets& tickets) {
    StageClock clock;
    traffic_.wait(tickets);
    waited_s_ += clock.lap();
}

void RankFrame::finish() {
    runner_.reset();
    downloaded_ = {};
    send_rest();
    for (std::size_t strip = 0; strip < arriving_.size(); ++strip) {
        throw_if_interrupted();
        expect(strip + 1);
        // Lines that a slow rank has not taken yet and the image of a fast one must not lie in its memory both.
        if (strip >= 2) wait(sent_[strip - 2]);
        make(strip);
    }
}

Matrix RankFrame::input_of(StepRunner& runner, const FrameCut::Strip& strip, const Bytes& cells) {
    const std::int64_t lines = cut_.lines().rows;
    const std::size_t bytes = static_cast<std::size_t>(lines) * row_bytes(strip);
    if (in_host_memory_)
        return {
            .storage = cells, .capacity_bytes = bytes, .format = native_, .rows = lines, .columns = strip.cell_count()};
    Matrix input = runner.storage_for_input(lines, strip.cell_count());
    device_.upload({cells.get(), bytes}, input);
    return input;
}

void RankFrame::make(std::size_t number) {
    const FrameCut::Strip& strip = cut_.strips_of(self_)[number];
    Arriving here = std::move(arriving_[number]);
    const std::size_t row = row_bytes(strip);
    if (Bytes& own = packed_[self_][number]; own) {
        std::memcpy(here.cells.get() + static_cast<std::size_t>(lines().first) * row, own.get(),
                    static_cast<std::size_t>(lines().last - lines().first) * row);
        own.reset();
    }
    wait(here.tickets);
    const FrameCut::Work work = cut_.behind(strip);
    StepRunner runner(device_, work.algorithm, work.hints);
    const Matrix image = runner.run_native(input_of(runner, strip, here.cells));
    here = {};
    const auto columns = static_cast<std::size_t>(strip.width());
    MadeStrip made{strip.columns,
                   device_.host_memory(static_cast<std::size_t>(image.rows) * columns * sizeof(std::complex<float>))};
    auto* pixels = reinterpret_cast<std::complex<float>*>(made.pixels.get());
    device_.download_rows(image, [&](std::int64_t first, std::span<const std::complex<float>> rows) {
        std::copy(rows.begin(), rows.end(), pixels + static_cast<std::size_t>(first) * columns);
    });
    image_.push_back(std::move(made));
}

void RankFrame::copy_rows(std::int64_t first_row, std::int64_t rows, std::complex<float>* to) const {
    const Interval own = cut_.columns_of(self_);
    const std::int64_t pitch = own.last - own.first;
    for (const MadeStrip& strip : image_) {
        const std::int64_t columns = strip.columns.last - strip.columns.first;
        const auto* pixels = reinterpret_cast<const std::complex<float>*>(strip.pixels.get());
#pragma omp parallel for
        for (std::int64_t row = 0; row < rows; ++row)
            std::copy_n(pixels + (first_row + row) * columns, columns,
                        to + row * pitch + strip.columns.first - own.first);
    }
}

}  // namespace cornerturn
