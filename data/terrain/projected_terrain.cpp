// SPDX-License-Identifier: Apache-2.0
#include "data/terrain/projected_terrain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels/errors.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

constexpr int places = 33;  // along either side of an area, at which it is looked at

double spread(double from, double to, int k) { return from + (to - from) * k / (places - 1); }

constexpr GeographicBox no_box{INFINITY, -INFINITY, INFINITY, -INFINITY};

void extend(GeographicBox& box, double y, double x) {
    box = {std::min(box.south_deg, y), std::max(box.north_deg, y), std::min(box.west_deg, x),
           std::max(box.east_deg, x)};
}

/// Nothing where the map does not hold the place.
std::optional<MapPoint> on_map(const MapTransform& map, double latitude_deg, double longitude_deg) try {
    return map.of({.longitude_deg = longitude_deg, .latitude_deg = latitude_deg, .height_m = 0});
} catch (const InputError&) {
    return std::nullopt;
}

/// Likewise.
std::optional<Geographic> on_the_earth(const MapTransform& map, const MapPoint& point) try {
    return map.at(point);
} catch (const InputError&) {
    return std::nullopt;
}

/// In latitudes and longitudes, of an area in y and x; empty where that lies nowhere.
GeographicBox box_of(const MapTransform& map, const GeographicBox& area) {
    GeographicBox box = no_box;
    std::optional<double> near_deg;
    for (int i = 0; i < places; ++i)
        for (int k = 0; k < places; ++k) {
            const auto at = on_the_earth(
                map, {.x = spread(area.west_deg, area.east_deg, k), .y = spread(area.south_deg, area.north_deg, i)});
            if (!at) continue;
            near_deg = near_deg.value_or(at->longitude_deg);
            extend(box, at->latitude_deg, longitude_near_deg(at->longitude_deg, *near_deg));
        }
    for (const double pole_deg : {-90.0, 90.0}) {
        const auto pole = on_map(map, pole_deg, 0);
        if (pole && pole->x >= area.west_deg && pole->x <= area.east_deg && pole->y >= area.south_deg &&
            pole->y <= area.north_deg)
            box = {std::min(box.south_deg, pole_deg), std::max(box.north_deg, pole_deg), -180, 180};
    }
    return box;
}

/// Between the four about a place; not a number beyond the outermost cells and beside gaps.
float height_between(const HeightGrid& grid, const MapPoint& at) {
    const double row = (at.y - grid.first_latitude_deg) / grid.latitude_step_deg,
                 column = (at.x - grid.first_longitude_deg) / grid.longitude_step_deg;
    const auto last_row = static_cast<double>(grid.rows - 1), last_column = static_cast<double>(grid.columns - 1);
    if (!(row >= -0.5 && row <= last_row + 0.5 && column >= -0.5 && column <= last_column + 0.5))
        return std::numeric_limits<float>::quiet_NaN();
    const double inside_row = std::clamp(row, 0.0, last_row), inside_column = std::clamp(column, 0.0, last_column);
    const auto below = static_cast<std::int64_t>(inside_row), left = static_cast<std::int64_t>(inside_column),
               above = std::min(below + 1, grid.rows - 1), right = std::min(left + 1, grid.columns - 1);
    const double v = inside_row - static_cast<double>(below), u = inside_column - static_cast<double>(left);
    return static_cast<float>((1 - v) * ((1 - u) * grid.at(below, left) + u * grid.at(below, right)) +
                              v * ((1 - u) * grid.at(above, left) + u * grid.at(above, right)));
}

/// Of a row of cells, as `take(column, point)`; points of cells beside the map have no numbers. Maps are straight to
/// 0.01 m over the distance of those that PROJ is asked for.
template <class Take>
void for_points_of_row(const MapTransform& map, double latitude_deg, const HeightGrid& grid, double degree_m,
                       const Take& take) {
    constexpr double straight_m = 500, most = 1024;
    const auto stride = static_cast<std::int64_t>(
        std::clamp(straight_m / std::max(grid.longitude_step_deg * degree_m, 1e-3), 1.0, most));
    const auto asked = [&](std::int64_t column) {
        const auto at =
            on_map(map, latitude_deg, grid.first_longitude_deg + static_cast<double>(column) * grid.longitude_step_deg);
        return at.value_or(MapPoint{NAN, NAN});
    };
    MapPoint next = asked(0);
    for (std::int64_t first = 0; first < grid.columns; first += stride) {
        const MapPoint here = next;
        next = asked(first + stride);
        for (std::int64_t column = first; column < std::min(first + stride, grid.columns); ++column) {
            const double part = static_cast<double>(column - first) / static_cast<double>(stride);
            take(column,
                 part == 0 ? here : MapPoint{here.x + part * (next.x - here.x), here.y + part * (next.y - here.y)});
        }
    }
}

}  // namespace

ProjectedTerrain::ProjectedTerrain(std::unique_ptr<RasterTerrain> raster, const MapProjection& projection)
    : raster_(std::move(raster)), map_(projection), extent_(box_of(map_, raster_->extent())) {
    if (!(extent_.south_deg <= extent_.north_deg))
        throw InputError(fmt::format("{}: lies nowhere on the Earth by its map {}", name(), projection.name()));
}

HeightGrid ProjectedTerrain::read(const GeographicBox& box, double latitude_step_deg, double longitude_step_deg) {
    GeographicBox area = no_box;
    for (int i = 0; i < places; ++i)
        for (int k = 0; k < places; ++k)
            if (const auto at = on_map(map_, std::clamp(spread(box.south_deg, box.north_deg, i), -90.0, 90.0),
                                       spread(box.west_deg, box.east_deg, k)))
                extend(area, at->y, at->x);
    if (!(area.south_deg <= area.north_deg)) return {};
    const double middle_deg = 0.5 * (box.south_deg + box.north_deg);
    const DegreeSize degree_m = degree_size(middle_deg);
    const HeightGrid heights =
        raster_->read(area, latitude_step_deg * degree_m.latitude_m, longitude_step_deg * degree_m.longitude_m);
    if (heights.rows == 0 || heights.columns == 0) return {};
    const auto cells = [](double from, double to, double step) {
        return 2 + static_cast<std::int64_t>(std::ceil((to - from) / step));
    };
    HeightGrid grid;
    grid.first_latitude_deg = box.south_deg;
    grid.latitude_step_deg = std::max(latitude_step_deg, heights.latitude_step_deg / degree_m.latitude_m);
    grid.first_longitude_deg = box.west_deg;
    grid.longitude_step_deg = std::max(longitude_step_deg, heights.longitude_step_deg / degree_m.longitude_m);
    grid.rows = cells(box.south_deg, box.north_deg, grid.latitude_step_deg);
    grid.columns = cells(box.west_deg, box.east_deg, grid.longitude_step_deg);
    grid.height_m.resize(static_cast<std::size_t>(grid.rows * grid.columns));
    for (std::int64_t row = 0; row < grid.rows; ++row) {
        throw_if_interrupted();
        const double latitude_deg =
            std::clamp(grid.first_latitude_deg + static_cast<double>(row) * grid.latitude_step_deg, -90.0, 90.0);
        for_points_of_row(map_, latitude_deg, grid, degree_m.longitude_m, [&](std::int64_t column, const MapPoint& at) {
            grid.at(row, column) = height_between(heights, at);
        });
    }
    return grid;
}

}  // namespace cornerturn
