// SPDX-License-Identifier: Apache-2.0
// An image whose samples are read patch by patch from any source: images need not fit into memory to be analysed.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// A rectangle of an image.
struct PixelBlock {
    std::int64_t first_row = 0, rows = 0;
    std::int64_t first_column = 0, columns = 0;

    bool holds(const PixelBlock& other) const {
        return other.first_row >= first_row && other.first_row + other.rows <= first_row + rows &&
               other.first_column >= first_column && other.first_column + other.columns <= first_column + columns;
    }
};

/// The samples of a rectangle, row by row.
struct Pixels {
    PixelBlock block;
    std::vector<std::complex<float>> samples;

    /// Zeros.
    explicit Pixels(const PixelBlock& of) : block(of), samples(static_cast<std::size_t>(of.rows * of.columns)) {}

    std::complex<float> at(std::int64_t row, std::int64_t column) const {
        return samples[static_cast<std::size_t>((row - block.first_row) * block.columns + column - block.first_column)];
    }
};

/// Copies what two sets of pixels share from the one to the other.
inline void copy_shared(const std::complex<float>* from, const PixelBlock& there, Pixels& to) {
    const PixelBlock& block = to.block;
    const std::int64_t first = std::max(block.first_row, there.first_row),
                       last = std::min(block.first_row + block.rows, there.first_row + there.rows);
    for (std::int64_t row = first; row < last; ++row)
        std::memcpy(to.samples.data() + (row - block.first_row) * block.columns,
                    from + (row - there.first_row) * there.columns + block.first_column - there.first_column,
                    static_cast<std::size_t>(block.columns) * sizeof(std::complex<float>));
}

/// A rectangle of a larger one.
inline Pixels pixels_of(const std::complex<float>* all, const PixelBlock& there, const PixelBlock& wanted) {
    Pixels pixels(wanted);
    copy_shared(all, there, pixels);
    return pixels;
}

class ImageView {
public:
    using Read = std::function<Pixels(const PixelBlock&)>;

    /// Header (all but the samples) and image must outlive the view.
    ImageView(const Image& header, Read read) : header_(header), read_(std::move(read)) {}
    ImageView(const Image& image)
        : ImageView(image, [&image](const PixelBlock& block) {
              return pixels_of(image.samples.data(), {.rows = image.grid.rows, .columns = image.grid.columns}, block);
          }) {}

    /// A rectangle inside the image. Rows that ascend over the calls are read fastest.
    Pixels read(const PixelBlock& block) const { return read_(block); }

    const Image& header() const { return header_; }

private:
    const Image& header_;
    Read read_;
};

}  // namespace cornerturn
