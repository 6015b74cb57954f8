// SPDX-License-Identifier: Apache-2.0
// Random pixels that represent an image which takes too long to check completely.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "kernels/passes/accumulation.h"
#include "pipeline/measure/image_view.h"

namespace cornerturn {

class SignalToError;

/// All pixels of some rectangles, where an image has most of its energy, and outside of them `random_pixels` at random,
/// one in each of as many equal parts of it. Which ones follows from their number alone.
class PixelSample {
public:
    static constexpr std::int64_t random_pixels = 8192;

    PixelSample(const ImageGrid& grid, std::span<const PixelBlock> rectangles);

    /// Row by row, each once.
    std::vector<ImagePixel> pixels() const;
    /// How many of them lie outside of the rectangles.
    std::int64_t outside() const { return outside_; }
    /// Of whole rows of an image and its reference, adds up what the sample tells of them: a pixel outside of the
    /// rectangles stands for as many as there are to each of its kind.
    void add(std::int64_t first_row, std::span<const std::complex<float>> image,
             std::span<const std::complex<float>> reference, SignalToError& ratio) const;

private:
    struct Sampled {
        std::int64_t number;  ///< row by row
        double stands_for;    ///< pixels
    };
    std::int64_t columns_;
    std::int64_t outside_ = 0;
    std::vector<Sampled> sampled_;
};

}  // namespace cornerturn
