// SPDX-License-Identifier: Apache-2.0
// Excerpt of an image that is passed row by row: patches around known targets, the noise, and the rows of one block.
#pragma once

#include <span>
#include <vector>

#include "pipeline/echo/source_and_sink.h"
#include "pipeline/measure/image_view.h"

namespace cornerturn {

class ImageExcerpt final : public ImageSink {
public:
    void begin(const Image& header) override;
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;

    /// Everything but the samples.
    const Image& header() const { return header_; }
    /// About the known targets; they may overlap.
    std::vector<PixelBlock> patches() const;
    /// Of the patches; other places throw std::logic_error.
    ImageView view() const;
    /// The median power of the samples that are not zero, over ln 2, of up to a million of them. Sidelobes of point
    /// targets lie far below noise that matters.
    double noise_power() const;

    /// Rows that came since the last call of forget_rows.
    std::span<const std::complex<float>> rows(std::int64_t first_row, std::size_t samples) const;
    void forget_rows() {
        if (!holds_all_) held_.clear();
    }
    /// Whether they stay all the same. To be told before begin, which makes room for all.
    void hold_all(bool all) { holds_all_ = all; }
    /// Surroundings of the brightest places of those rows, at most `count`; they may overlap.
    std::vector<PixelBlock> brightest(std::size_t count) const;

private:
    Image header_;
    std::vector<Pixels> patches_;
    std::vector<float> power_;
    std::size_t step_ = 1;  // samples from one that tells of the noise to the next
    std::int64_t first_held_row_ = 0;
    bool holds_all_ = false;
    std::vector<std::complex<float>> held_;
};

}  // namespace cornerturn
