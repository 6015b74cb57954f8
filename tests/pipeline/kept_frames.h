// SPDX-License-Identifier: Apache-2.0
// Several frames of one call, in memory.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// Keeps every frame.
class KeptFrames final : public ImageSink {
public:
    void begin(const Image& header) override { frames.emplace_back().begin(header); }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        frames.back().write(first_row, rows);
    }
    const Image& operator[](std::size_t i) const { return frames[i].image; }

    std::vector<ImageInMemory> frames;
};

/// Keeps frames over several runs, and sees to it that each row comes once, in order.
class FramesOverRuns final : public ImageSink {
public:
    void begin(const Image& header) override {
        if (next_ == frames.size()) {
            frames.emplace_back().begin(header);
            rows_.push_back(0);
        }
        frame_ = next_++;
    }
    std::int64_t rows_there() const override { return rows_[frame_]; }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        if (at_write) at_write();
        EXPECT_EQ(first_row, rows_[frame_]) << "of frame " << frame_;
        frames[frame_].write(first_row, rows);
        rows_[frame_] += static_cast<std::int64_t>(rows.size()) / frames[frame_].image.grid.columns;
    }
    void block_done() override {
        ++blocks;
        if (at_block) at_block();
    }
    void begin_run() { next_ = 0; }
    const std::vector<std::complex<float>>& operator[](std::size_t frame) const { return frames[frame].image.samples; }

    std::function<void()> at_write, at_block;
    std::vector<ImageInMemory> frames;
    int blocks = 0;

private:
    std::size_t next_ = 0, frame_ = 0;
    std::vector<std::int64_t> rows_;
};

}  // namespace cornerturn
