// SPDX-License-Identifier: Apache-2.0
#include "data/terrain/raster_terrain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/errors.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

/// RasterPixels of an axis that a stretch of it touches, and how many of them make a cell.
struct RasterPixels {
    std::int64_t first = 0, cells = 0, of_a_cell = 1;
    double centre_of_first = 0;  ///< of the first cell, in pixels
};
RasterPixels pixels_within(double from, double to, std::int64_t count, double cell) {
    // Far beyond any raster, where a damaged file says so; also where that is no number.
    const auto whole = [](double pixel) { return static_cast<std::int64_t>(std::fmin(std::fmax(pixel, -1e15), 1e15)); };
    RasterPixels pixels;
    pixels.of_a_cell = std::clamp<std::int64_t>(whole(cell), 1, count);
    // One more at either end, so that what lies between two centres has both.
    const auto first = std::max<std::int64_t>(0, whole(std::floor(from)) - pixels.of_a_cell);
    const auto last = std::min<std::int64_t>(count - 1, whole(std::ceil(to)) + pixels.of_a_cell);
    if (last < first) return {};
    pixels.cells = std::max<std::int64_t>(1, (last - first + 1) / pixels.of_a_cell);
    pixels.first = first + (last - first + 1 - pixels.cells * pixels.of_a_cell) / 2;
    pixels.centre_of_first = static_cast<double>(pixels.first) + 0.5 * static_cast<double>(pixels.of_a_cell - 1);
    return pixels;
}

}  // namespace

GeographicBox RasterTerrain::extent() const {
    const double first = place_.first_latitude_deg - 0.5 * place_.latitude_step_deg,
                 last = first + static_cast<double>(place_.rows) * place_.latitude_step_deg;
    const double west = place_.first_longitude_deg - 0.5 * place_.longitude_step_deg;
    return {std::min(first, last), std::max(first, last), west,
            west + (place_.goes_round() ? 360 : static_cast<double>(place_.columns) * place_.longitude_step_deg)};
}

/// Of columns that count on beyond the last one.
void RasterTerrain::read_round(std::int64_t row, std::int64_t first_column, std::span<float> height_m) {
    for (std::size_t done = 0; done < height_m.size();) {
        const std::int64_t column = (first_column + static_cast<std::int64_t>(done)) % place_.columns;
        const auto count = std::min(height_m.size() - done, static_cast<std::size_t>(place_.columns - column));
        read_row(row, column, height_m.subspan(done, count));
        done += count;
    }
}

HeightGrid RasterTerrain::read(const GeographicBox& asked, double latitude_step_deg, double longitude_step_deg) {
    // Of columns that go round those of the second turn are taken, which have others on both sides.
    const bool round = place_.goes_round();
    const double per_turn = 360 / place_.longitude_step_deg, middle_deg = 0.5 * (asked.west_deg + asked.east_deg),
                 at_deg =
                     place_.first_longitude_deg +
                     (round ? 1.5 * per_turn : 0.5 * static_cast<double>(place_.columns)) * place_.longitude_step_deg,
                 turn_deg = place_.projected ? 0 : longitude_near_deg(middle_deg, at_deg) - middle_deg;
    const GeographicBox box{asked.south_deg, asked.north_deg, asked.west_deg + turn_deg, asked.east_deg + turn_deg};
    const std::int64_t all_columns = (round ? 3 : 1) * place_.columns;
    const auto row_at = [&](double latitude_deg) {
        return (latitude_deg - place_.first_latitude_deg) / place_.latitude_step_deg;
    };
    const auto column_at = [&](double longitude_deg) {
        return (longitude_deg - place_.first_longitude_deg) / place_.longitude_step_deg;
    };
    const double row_a = row_at(box.south_deg), row_b = row_at(box.north_deg);
    const RasterPixels rows = pixels_within(std::min(row_a, row_b), std::max(row_a, row_b), place_.rows,
                                            latitude_step_deg / std::abs(place_.latitude_step_deg)),
                       columns = pixels_within(column_at(box.west_deg), column_at(box.east_deg), all_columns,
                                               longitude_step_deg / place_.longitude_step_deg);
    if (rows.cells == 0 || columns.cells == 0) return {};
    const bool from_north = place_.latitude_step_deg < 0;
    const double row_of_south = from_north
                                    ? rows.centre_of_first + static_cast<double>((rows.cells - 1) * rows.of_a_cell)
                                    : rows.centre_of_first;
    HeightGrid grid{.rows = rows.cells,
                    .columns = columns.cells,
                    .first_latitude_deg = place_.first_latitude_deg + row_of_south * place_.latitude_step_deg,
                    .latitude_step_deg = std::abs(place_.latitude_step_deg) * static_cast<double>(rows.of_a_cell),
                    .first_longitude_deg =
                        place_.first_longitude_deg + columns.centre_of_first * place_.longitude_step_deg - turn_deg,
                    .longitude_step_deg = place_.longitude_step_deg * static_cast<double>(columns.of_a_cell),
                    .height_m = {}};
    grid.height_m.resize(static_cast<std::size_t>(grid.rows * grid.columns));
    std::vector<float> row(static_cast<std::size_t>(columns.cells * columns.of_a_cell));
    std::vector<double> sum(static_cast<std::size_t>(grid.columns));
    std::vector<std::int64_t> count(static_cast<std::size_t>(grid.columns));
    for (std::int64_t cell = 0; cell < rows.cells; ++cell) {
        throw_if_interrupted();
        std::fill(sum.begin(), sum.end(), 0.0);
        std::fill(count.begin(), count.end(), 0);
        for (std::int64_t r = 0; r < rows.of_a_cell; ++r) {
            read_round(rows.first + cell * rows.of_a_cell + r, columns.first, row);
            for (std::size_t i = 0; i < row.size(); ++i) {
                if (std::isnan(row[i])) continue;
                check_height(name_, row[i]);
                const std::size_t to = i / static_cast<std::size_t>(columns.of_a_cell);
                sum[to] += row[i];
                ++count[to];
            }
        }
        for (std::int64_t column = 0; column < grid.columns; ++column) {
            const auto of = static_cast<std::size_t>(column);
            grid.at(from_north ? rows.cells - 1 - cell : cell, column) =
                count[of] > 0 ? static_cast<float>(sum[of] / static_cast<double>(count[of]))
                              : std::numeric_limits<float>::quiet_NaN();
        }
    }
    return grid;
}

void check_height(const std::string& name, float height_m) {
    constexpr float lowest_m = -1000, highest_m = 10000;
    if (height_m >= lowest_m && height_m <= highest_m) return;
    throw InputError(fmt::format(
        "{}: holds a height of {} m, expected {} to {} m above the ellipsoid; mark gaps as such (nodata), or check "
        "the unit",
        name, height_m, lowest_m, highest_m));
}

}  // namespace cornerturn
