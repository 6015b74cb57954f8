// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/ground/height_surface.h"

#include <algorithm>
#include <cmath>

namespace cornerturn {
namespace {

double held(double position, std::int64_t count) { return std::clamp(position, 0.0, static_cast<double>(count - 1)); }

/// The cell centre below a position and how far it lies beyond, up to the edges of the outermost cells.
struct Between {
    std::int64_t below, above;
    double part;
};
Between between(double position, std::int64_t count) {
    const double inside = std::clamp(position, -0.5, static_cast<double>(count) - 0.5);
    const auto below = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(inside)), 0,
                                                std::max<std::int64_t>(0, count - 2));
    return {below, std::min(below + 1, count - 1), inside - static_cast<double>(below)};
}

/// Cells without a height take the mean of those about them that have one, from the rims of gaps inwards.
HeightGrid filled(HeightGrid grid) {
    for (bool more = true; more;) {
        more = false;
        const HeightGrid before = grid;
        for (std::int64_t row = 0; row < grid.rows; ++row)
            for (std::int64_t column = 0; column < grid.columns; ++column) {
                if (!std::isnan(before.at(row, column))) continue;
                double sum = 0;
                int count = 0;
                for (std::int64_t r = std::max<std::int64_t>(0, row - 1); r <= std::min(row + 1, grid.rows - 1); ++r)
                    for (std::int64_t c = std::max<std::int64_t>(0, column - 1);
                         c <= std::min(column + 1, grid.columns - 1); ++c)
                        if (!std::isnan(before.at(r, c))) sum += before.at(r, c), ++count;
                if (count == 0) continue;
                grid.at(row, column) = static_cast<float>(sum / count);
                more = true;
            }
    }
    return grid;
}

}  // namespace

HeightSurface::HeightSurface(HeightGrid grid) {
    for (const float height_m : grid.height_m) known_.push_back(!std::isnan(height_m));
    grid_ = filled(std::move(grid));
    middle_longitude_deg_ =
        grid_.first_longitude_deg + 0.5 * static_cast<double>(grid_.columns - 1) * grid_.longitude_step_deg;
    rows_per_deg_ = 1 / grid_.latitude_step_deg;
    columns_per_deg_ = 1 / grid_.longitude_step_deg;
    const auto [low, high] = std::minmax_element(grid_.height_m.begin(), grid_.height_m.end());
    lowest_m_ = *low;
    highest_m_ = *high;
}

HeightSurface::Position HeightSurface::cells(double latitude_deg, double longitude_deg) const {
    return {rows_per_deg_ * (latitude_deg - grid_.first_latitude_deg),
            columns_per_deg_ * (longitude_near_deg(longitude_deg, middle_longitude_deg_) - grid_.first_longitude_deg)};
}

bool HeightSurface::known(double latitude_deg, double longitude_deg) const {
    const auto [row, column] = cells(latitude_deg, longitude_deg);
    return known_[static_cast<std::size_t>(std::llround(held(row, grid_.rows)) * grid_.columns +
                                           std::llround(held(column, grid_.columns)))];
}

double HeightSurface::height_m(double latitude_deg, double longitude_deg) const {
    const Position position = cells(latitude_deg, longitude_deg);
    const auto [below, above, v] = between(position.row, grid_.rows);
    const auto [left, right, u] = between(position.column, grid_.columns);
    return (1 - v) * ((1 - u) * grid_.at(below, left) + u * grid_.at(below, right)) +
           v * ((1 - u) * grid_.at(above, left) + u * grid_.at(above, right));
}

}  // namespace cornerturn
