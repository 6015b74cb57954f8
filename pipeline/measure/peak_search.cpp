// SPDX-License-Identifier: Apache-2.0
// The brightest pixels of an image, apart from each other: targets for analysis where no truth is known.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "pipeline/measure/bright_pixels.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/measure/point_chip.h"

namespace cornerturn {

namespace {

/// Some whole rows of an image in memory, which go down it.
class RowWindow {
public:
    explicit RowWindow(const ImageView& image) : image_(image) {}

    /// Has rows from `first` to `end`; both ascend over the calls.
    void move_to(std::int64_t first, std::int64_t end) {
        const std::int64_t columns = image_.header().grid.columns,
                           there = first_ + static_cast<std::int64_t>(samples_.size()) / columns;
        samples_.erase(samples_.begin(), samples_.begin() + std::min(first, there) * columns - first_ * columns);
        const Pixels more =
            image_.read({.first_row = there, .rows = end - there, .first_column = 0, .columns = columns});
        samples_.insert(samples_.end(), more.samples.begin(), more.samples.end());
        first_ = first;
    }
    float power(std::int64_t row, std::int64_t column) const {
        return std::norm(samples_[static_cast<std::size_t>((row - first_) * image_.header().grid.columns + column)]);
    }

private:
    const ImageView& image_;
    std::int64_t first_ = 0;
    std::vector<std::complex<float>> samples_;
};

/// The brightest pixel of one block of rows and columns.
BrightPixel brightest(const ImageGrid& grid, const RowWindow& rows, std::int64_t first_row, std::int64_t first_column,
                      std::int64_t size) {
    BrightPixel best{0, first_row, first_column};
    const std::int64_t last_row = std::min(first_row + size, grid.rows);
    const std::int64_t last_column = std::min(first_column + size, grid.columns);
    for (std::int64_t row = first_row; row < last_row; ++row) {
        for (std::int64_t column = first_column; column < last_column; ++column) {
            const float power = rows.power(row, column);
            if (power > best.power) best = {power, row, column};
        }
    }
    return best;
}

/// A block's brightest pixel may lie on the shoulder of a peak in the next block.
bool is_local_maximum(const ImageGrid& grid, const RowWindow& rows, const BrightPixel& candidate) {
    for (std::int64_t row = std::max<std::int64_t>(0, candidate.row - 1);
         row <= std::min(grid.rows - 1, candidate.row + 1); ++row) {
        for (std::int64_t column = std::max<std::int64_t>(0, candidate.column - 1);
             column <= std::min(grid.columns - 1, candidate.column + 1); ++column) {
            if (rows.power(row, column) > candidate.power) return false;
        }
    }
    return true;
}

}  // namespace

std::vector<BrightPixel> bright_pixels(const ImageView& image, std::int64_t separation_px) {
    const ImageGrid& grid = image.header().grid;
    std::vector<BrightPixel> candidates;
    RowWindow rows(image);
    for (std::int64_t row = 0; row < grid.rows; row += separation_px) {
        rows.move_to(std::max<std::int64_t>(0, row - 1), std::min(grid.rows, row + separation_px + 1));
        for (std::int64_t column = 0; column < grid.columns; column += separation_px) {
            const BrightPixel candidate = brightest(grid, rows, row, column, separation_px);
            if (candidate.power > 0 && is_local_maximum(grid, rows, candidate)) candidates.push_back(candidate);
        }
    }
    std::sort(candidates.begin(), candidates.end(), [](const BrightPixel& a, const BrightPixel& b) {
        return a.power != b.power ? a.power > b.power : a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    return candidates;
}

bool is_apart(const BrightPixel& pixel, const std::vector<BrightPixel>& others, std::int64_t separation_px) {
    return std::none_of(others.begin(), others.end(), [&](const BrightPixel& other) {
        return std::abs(other.row - pixel.row) < separation_px && std::abs(other.column - pixel.column) < separation_px;
    });
}

namespace {

enum class Area { fully_compressed, whole };

std::vector<AnalysisTarget> select(Area area, const Image& image, const std::vector<BrightPixel>& candidates, int count,
                                   std::int64_t separation_px) {
    std::vector<AnalysisTarget> targets;
    std::vector<BrightPixel> taken;
    for (const BrightPixel& candidate : candidates) {
        if (static_cast<int>(targets.size()) >= count) break;
        if (!is_apart(candidate, taken, separation_px)) continue;
        const PixelPosition position{static_cast<double>(candidate.row), static_cast<double>(candidate.column)};
        const ChipPlacement placement =
            place_chip(image, response_support(image, position.row, position.column), position);
        if (!placement.shape || (area == Area::fully_compressed && !fully_covered(image, *placement.shape, position)))
            continue;
        taken.push_back(candidate);
        targets.push_back({image.grid.range_m(position.column), image.grid.time_s(position.row), false, {}});
    }
    return targets;
}

}  // namespace

std::vector<AnalysisTarget> strongest_peaks(const ImageView& view, int count, std::int64_t separation_px) {
    const auto candidates = bright_pixels(view, separation_px);
    const Image& image = view.header();
    const auto targets = select(Area::fully_compressed, image, candidates, count, separation_px);
    return targets.empty() ? select(Area::whole, image, candidates, count, separation_px) : targets;
}

}  // namespace cornerturn
