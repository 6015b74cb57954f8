// SPDX-License-Identifier: Apache-2.0
// Columns of an image kept in host memory for analysis.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// All columns, or every so many-th where they would take more memory. Each in one piece, over all rows.
class KeptColumns final : public ImageSink {
public:
    explicit KeptColumns(std::size_t most_bytes) : most_bytes_(most_bytes) {}
    void begin(const Image& header) override;
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;

    const ImageGrid& grid() const { return grid_; }
    std::int64_t columns() const { return (grid_.columns + step_ - 1) / step_; }
    /// Closest range of each.
    std::vector<double> range_m() const;
    /// columns() x grid().rows, row = column of the image. Moves them out.
    std::vector<std::complex<float>> take() { return std::move(samples_); }

    /// Columns of an image that would be kept.
    static std::int64_t columns_within(const ImageGrid& grid, std::size_t most_bytes) {
        return (grid.columns + step(grid, most_bytes) - 1) / step(grid, most_bytes);
    }

private:
    static std::int64_t step(const ImageGrid& grid, std::size_t most_bytes);
    std::size_t most_bytes_;
    ImageGrid grid_;
    std::int64_t step_ = 1;
    std::vector<std::complex<float>> samples_;
};

}  // namespace cornerturn
