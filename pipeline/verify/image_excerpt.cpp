// SPDX-License-Identifier: Apache-2.0
#include "pipeline/verify/image_excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <optional>
#include <stdexcept>

#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/measure/bright_pixels.h"
#include "pipeline/measure/map_targets.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/verify/reference_chip.h"

namespace cornerturn {

void ImageExcerpt::begin(const Image& header) {
    header_ = header;
    patches_.clear();
    const auto want = [&](const std::optional<PixelBlock>& block) {
        if (block) patches_.emplace_back(*block);
    };
    if (header.map) {
        for (const MapTarget& target : known_map_targets(header)) want(map_pixels_about(header, target.place));
    } else {
        for (const PointTarget& target : header.acquisition.truth) want(comparison_pixels_about(header.grid, target));
        for (const AnalysisTarget& target : known_targets(header)) want(pixels_about(header, target));
    }
    step_ = std::max<std::size_t>(1, header.grid.pixels() / 1000000);
    power_.clear();
    held_.clear();
    if (holds_all_) held_.reserve(header.grid.pixels());
}

void ImageExcerpt::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    const std::int64_t columns = header_.grid.columns;
    const PixelBlock block{.first_row = first_row,
                           .rows = static_cast<std::int64_t>(rows.size()) / columns,
                           .first_column = 0,
                           .columns = columns};
    for (Pixels& patch : patches_) copy_shared(rows.data(), block, patch);
    const auto first_sample = static_cast<std::size_t>(first_row * columns);
    for (std::size_t i = (step_ - first_sample % step_) % step_; i < rows.size(); i += step_)
        if (const float p = std::norm(rows[i]); p > 0) power_.push_back(p);
    if (held_.empty()) first_held_row_ = first_row;
    held_.insert(held_.end(), rows.begin(), rows.end());
}

std::vector<PixelBlock> ImageExcerpt::patches() const {
    std::vector<PixelBlock> blocks;
    for (const Pixels& patch : patches_) blocks.push_back(patch.block);
    return blocks;
}

ImageView ImageExcerpt::view() const {
    return {header_, [this](const PixelBlock& wanted) {
                const auto patch = std::find_if(patches_.begin(), patches_.end(),
                                                [&](const Pixels& p) { return p.block.holds(wanted); });
                if (patch == patches_.end())
                    throw std::logic_error(fmt::format("row {}, column {}: not about a known target", wanted.first_row,
                                                       wanted.first_column));
                return pixels_of(patch->samples.data(), patch->block, wanted);
            }};
}

std::vector<PixelBlock> ImageExcerpt::brightest(std::size_t count) const {
    constexpr std::int64_t reach = 16;
    Image part = header_;
    part.grid.rows = static_cast<std::int64_t>(held_.size()) / part.grid.columns;
    const PixelBlock held{.rows = part.grid.rows, .columns = part.grid.columns};
    const ImageView view(part, [&](const PixelBlock& wanted) { return pixels_of(held_.data(), held, wanted); });
    std::vector<BrightPixel> pixels = bright_pixels(view, reach);
    pixels.resize(std::min(count, pixels.size()));
    std::vector<PixelBlock> blocks;
    for (const BrightPixel& pixel : pixels) {
        const std::int64_t row = std::max<std::int64_t>(pixel.row - reach, 0),
                           column = std::max<std::int64_t>(pixel.column - reach, 0);
        blocks.push_back({.first_row = first_held_row_ + row,
                          .rows = std::min(pixel.row + reach + 1, held.rows) - row,
                          .first_column = column,
                          .columns = std::min(pixel.column + reach + 1, held.columns) - column});
    }
    return blocks;
}

double ImageExcerpt::noise_power() const {
    return power_.empty() ? 0 : static_cast<double>(median_of(power_)) / std::numbers::ln2;
}

std::span<const std::complex<float>> ImageExcerpt::rows(std::int64_t first_row, std::size_t samples) const {
    return std::span(held_).subspan(static_cast<std::size_t>((first_row - first_held_row_) * header_.grid.columns),
                                    samples);
}

}  // namespace cornerturn
