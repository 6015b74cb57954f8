// SPDX-License-Identifier: Apache-2.0
#include "pipeline/estimate/image_doppler.h"

#include <algorithm>
#include <cmath>

namespace cornerturn {
namespace {

/// Sums over pairs of pixels in neighbouring rows, both fully covered.
struct PairSums {
    std::complex<double> lag1 = 0;
    double power = 0;
    std::int64_t pairs = 0;
};

PairSums sums_of(const Image& image, std::int64_t first_row, std::int64_t end_row, std::int64_t first_column,
                 std::int64_t end_column) {
    PairSums sums;
    const auto intervals = [&](std::int64_t row, std::int64_t k) {
        return image.valid_columns[static_cast<std::size_t>(row * image.intervals_per_row + k)];
    };
    for (std::int64_t row = first_row; row + 1 < end_row; ++row)
        for (std::int64_t k = 0; k < image.intervals_per_row; ++k) {
            const Interval here = intervals(row, k), next = intervals(row + 1, k);
            const std::int64_t from = std::max<std::int64_t>({first_column, here.first, next.first}),
                               to = std::min<std::int64_t>({end_column, here.last, next.last});
            const std::complex<float>* line = image.samples.data() + row * image.grid.columns;
            for (std::int64_t column = from; column < to; ++column) {
                const std::complex<double> now = line[column], then = line[column + image.grid.columns];
                sums.lag1 += std::conj(now) * then;
                sums.power += 0.5 * (std::norm(now) + std::norm(then));
                ++sums.pairs;
            }
        }
    return sums;
}

}  // namespace

std::vector<DopplerCell> cells_of_image(const FocusResult& focused) {
    constexpr std::int64_t most_down = 8, most_across = 16, fewest_rows = 64, fewest_columns = 32;
    const Image& image = focused.image;
    const ImageGrid& grid = image.grid;
    const ViewingGeometry& geometry = *focused.report.setup.geometry;
    std::vector<DopplerCell> cells;
    if (image.valid_columns.empty()) return cells;
    const auto covered = [&](std::int64_t row) {
        const auto first = image.valid_columns.begin() + row * image.intervals_per_row;
        return std::any_of(first, first + image.intervals_per_row, [](const Interval& i) { return i.first < i.last; });
    };
    std::int64_t first_row = 0, end_row = grid.rows;
    while (first_row < end_row && !covered(first_row)) ++first_row;
    while (end_row > first_row && !covered(end_row - 1)) --end_row;
    const std::int64_t rows = end_row - first_row;
    const std::int64_t down = std::clamp<std::int64_t>(rows / fewest_rows, 1, most_down),
                       across = std::clamp<std::int64_t>(grid.columns / fewest_columns, 1, most_across);
    const double independent =
        std::min(1.0, image.acquisition.chirp.bandwidth_hz() / image.acquisition.sample_rate_hz());
    for (std::int64_t i = 0; i < down; ++i)
        for (std::int64_t k = 0; k < across; ++k) {
            const std::int64_t top = first_row + i * rows / down, bottom = first_row + (i + 1) * rows / down,
                               left = k * grid.columns / across, right = (k + 1) * grid.columns / across;
            const PairSums sums = sums_of(image, top, bottom, left, right);
            if (2 * sums.pairs < (bottom - top) * (right - left)) continue;
            const double time_s = grid.time_s(0.5 * static_cast<double>(top + bottom - 1)),
                         range_m = grid.range_m(0.5 * static_cast<double>(left + right - 1));
            const double offset_s = geometry.beam_centre(time_s, range_m).time_s;
            const double slant_m = 0.5 * speed_of_light_m_s * geometry.track().delay_history(time_s, range_m)(offset_s);
            const auto cell = doppler_cell(time_s + offset_s, slant_m, sums.lag1, sums.power,
                                           independent * static_cast<double>(sums.pairs), image.acquisition.prf_hz);
            if (cell) cells.push_back(*cell);
        }
    return cells;
}

}  // namespace cornerturn
