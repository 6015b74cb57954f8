// SPDX-License-Identifier: Apache-2.0
// Several frames of one call, in memory.
#pragma once

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

}  // namespace cornerturn
