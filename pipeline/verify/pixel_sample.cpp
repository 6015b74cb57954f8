// SPDX-License-Identifier: Apache-2.0
#include "pipeline/verify/pixel_sample.h"

#include <algorithm>

#include "pipeline/proof/counted_random.h"
#include "pipeline/verify/signal_to_error.h"

namespace cornerturn {
namespace {

std::vector<std::int64_t> numbers_in(std::span<const PixelBlock> rectangles, std::int64_t columns) {
    std::vector<std::int64_t> numbers;
    for (const PixelBlock& block : rectangles)
        for (std::int64_t row = block.first_row; row < block.first_row + block.rows; ++row)
            for (std::int64_t column = block.first_column; column < block.first_column + block.columns; ++column)
                numbers.push_back(row * columns + column);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

/// One in each of `count` parts of `all`, which are at least one pixel long.
std::vector<std::int64_t> random_numbers(std::int64_t count, std::int64_t all) {
    std::vector<std::int64_t> numbers;
    const double part = static_cast<double>(all) / static_cast<double>(count);
    for (std::int64_t i = 0; i < count; ++i) {
        const double at = (static_cast<double>(i) + unit(mix(static_cast<std::uint64_t>(i)))) * part;
        numbers.push_back(std::min(static_cast<std::int64_t>(at), all - 1));
    }
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

}  // namespace

PixelSample::PixelSample(const ImageGrid& grid, std::span<const PixelBlock> rectangles) : columns_(grid.columns) {
    const std::int64_t all = grid.rows * grid.columns;
    const std::vector<std::int64_t> inside = numbers_in(rectangles, columns_),
                                    random = random_numbers(std::min(random_pixels, all), all);
    std::vector<std::int64_t> outside;
    std::set_difference(random.begin(), random.end(), inside.begin(), inside.end(), std::back_inserter(outside));
    outside_ = static_cast<std::int64_t>(outside.size());
    const double stands_for =
        static_cast<double>(all - static_cast<std::int64_t>(inside.size())) / static_cast<double>(outside_);
    for (const std::int64_t number : inside) sampled_.push_back({number, 1.0});
    for (const std::int64_t number : outside) sampled_.push_back({number, stands_for});
    std::sort(sampled_.begin(), sampled_.end(), [](const Sampled& a, const Sampled& b) { return a.number < b.number; });
}

std::vector<ImagePixel> PixelSample::pixels() const {
    std::vector<ImagePixel> pixels;
    for (const Sampled& sampled : sampled_) pixels.push_back({sampled.number / columns_, sampled.number % columns_});
    return pixels;
}

void PixelSample::add(std::int64_t first_row, std::span<const std::complex<float>> image,
                      std::span<const std::complex<float>> reference, SignalToError& ratio) const {
    const std::int64_t first = first_row * columns_, last = first + static_cast<std::int64_t>(image.size());
    const auto from = std::lower_bound(sampled_.begin(), sampled_.end(), first,
                                       [](const Sampled& s, std::int64_t number) { return s.number < number; });
    for (auto it = from; it != sampled_.end() && it->number < last; ++it) {
        const auto at = static_cast<std::size_t>(it->number - first);
        ratio.add(image.subspan(at, 1), reference.subspan(at, 1), it->stands_for);
    }
}

}  // namespace cornerturn
