// SPDX-License-Identifier: Apache-2.0
// A focused image as a gray picture: range to the right, zero-Doppler time down, or a map, north up; brightness in
// decibels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/picture/picture.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/measure/multilook.h"

namespace cornerturn {

struct QuicklookOptions {
    std::optional<Looks> looks = {};  ///< averaged in power into one pixel; none: ground_cells
    std::optional<double> dynamic_range_db =
        {};  ///< from black to white; none: from the distribution of the brightness
    std::int64_t max_size_px = 2048;
    int threads = 0;  ///< 0: all cores
};

/// Reads `auto` or `AZIMUTH,RANGE`. Throws InputError.
std::optional<Looks> parse_looks(const std::string& text);

/// The looks that make nearly square pixels on the ground and fit into max_size_px, at least two samples a pixel.
Looks automatic_looks(const Image& image, std::int64_t max_size_px);

/// The picture of an image that comes row by row.
/// How an image falls into the pixels of a picture: pixel k of an axis holds the samples from edge k to edge k + 1.
struct PictureCells {
    std::vector<std::int64_t> row_edges, column_edges;
    double pixel_m = 0;  ///< on the ground; 0: not known

    std::int64_t rows() const { return static_cast<std::int64_t>(row_edges.size()) - 1; }
    std::int64_t columns() const { return static_cast<std::int64_t>(column_edges.size()) - 1; }
};
/// Pixels that are square on the ground all over the picture: rows by the velocity of zero Doppler along the ground,
/// columns by the incidence angle at each of them, both from the orbit (without one, by the effective velocity and an
/// incidence of 40 degrees). The size is the least for which each pixel has a sample, two on average, and no side is
/// longer than max_size_px. An image on a map stays as it is where it is that small.
PictureCells ground_cells(const Image& image, std::int64_t max_size_px);

class QuicklookSink final : public ImageSink {
public:
    /// Throws InputError for impossible options.
    explicit QuicklookSink(QuicklookOptions options = {});
    void begin(const Image& header) override;
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;
    /// Once all rows were written.
    Picture picture() const;
    const PictureCells& cells() const { return cells_; }

private:
    QuicklookOptions options_;
    Image header_;
    PictureCells cells_;
    std::vector<double> sums_;  // power of each pixel's samples
};

/// White is the 99.8 % quantile of the brightness of the fully compressed area (of all pixels that are not zero, where
/// that is too small), or the peak where a few points outshine everything; black a quarter below the 1 % quantile, but
/// never more than 60 dB below white. Samples that are zero (not covered) or not finite stay black.
Picture quicklook(const Image& image, const QuicklookOptions& options = {});

}  // namespace cornerturn
