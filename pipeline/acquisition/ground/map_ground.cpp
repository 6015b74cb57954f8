// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/ground/map_ground.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "pipeline/acquisition/fits/surface_fit.h"
#include "pipeline/acquisition/ground/map_nodes.h"

namespace cornerturn {
namespace {

constexpr int places = 33;  // along either side of a grid, at which it is looked at

/// Pixel k of `places` from the first to the last.
double spread(std::int64_t count, int k) { return static_cast<double>(count - 1) * k / (places - 1); }

template <class Take>
void for_places(const MapGrid& grid, const Take& take) {
    for (int i = 0; i < places; ++i)
        for (int k = 0; k < places; ++k) take(MapPoint{grid.x(spread(grid.columns, k)), grid.y(spread(grid.rows, i))});
}

/// With a cell of the terrain to spare.
GeographicBox box_of(const MapGrid& grid, const MapTransform& map) {
    GeographicBox box{INFINITY, -INFINITY, INFINITY, -INFINITY};
    std::optional<double> near_deg;
    for_places(grid, [&](const MapPoint& point) {
        const Geographic place = map.at(point);
        const double longitude_deg = longitude_near_deg(place.longitude_deg, near_deg.value_or(place.longitude_deg));
        near_deg = near_deg.value_or(longitude_deg);
        box = {std::min(box.south_deg, place.latitude_deg), std::max(box.north_deg, place.latitude_deg),
               std::min(box.west_deg, longitude_deg), std::max(box.east_deg, longitude_deg)};
    });
    return box;
}

void check_covers(const TerrainSource& terrain, const GeographicBox& box) {
    const GeographicBox there = terrain.extent();
    const double turn_deg =
        longitude_near_deg(box.west_deg, 0.5 * (there.west_deg + there.east_deg)) - box.west_deg;  // by whole circles
    if (box.south_deg >= there.south_deg && box.north_deg <= there.north_deg &&
        box.west_deg + turn_deg >= there.west_deg && box.east_deg + turn_deg <= there.east_deg)
        return;
    throw InputError(fmt::format(
        "{}: covers {}, the map spans {}; give a terrain that covers it, a grid within the terrain (--grid FILE), "
        "or one --height for all of it",
        terrain.name(), text_of(there), text_of(box)));
}

SmoothSurface level(double height_m) {
    SmoothSurface surface;
    surface.powers[0][0] = height_m;
    return surface;
}

SmoothSurface frame_of(const MapGrid& grid) {
    const double half_x = 0.5 * static_cast<double>(grid.columns) * grid.x_step,
                 half_y = 0.5 * static_cast<double>(grid.rows) * grid.y_step;
    return {.x_centre = grid.first_x + half_x, .x_half = half_x, .y_centre = grid.first_y + half_y, .y_half = half_y};
}

HeightSurface read_heights(const MapGrid& grid, const MapTransform& map, TerrainSource& terrain) {
    GeographicBox box = box_of(grid, map);
    check_covers(terrain, box);
    const PixelSize pixel = pixel_size(grid);
    const DegreeSize degree_m = degree_size(0.5 * (box.south_deg + box.north_deg));
    HeightGrid heights = terrain.read(box, pixel.down_m / degree_m.latitude_m, pixel.across_m / degree_m.longitude_m);
    if (std::all_of(heights.height_m.begin(), heights.height_m.end(), [](float h) { return std::isnan(h); }))
        throw InputError(fmt::format(
            "{}: knows no height within {}, where the map lies; give a terrain that does, or one --height for all "
            "of it",
            terrain.name(), text_of(box)));
    return HeightSurface(std::move(heights));
}

}  // namespace

MapGround::MapGround(const MapProjection& projection, double height_m)
    : local_(projection.is_local()),
      plane_(projection.plane),
      map_(projection),
      smooth_m_(level(height_m)),
      limits_{height_m, height_m} {}

/// What is smooth has to be so: the mesh of pixels turns with the ground's normals, and interpolates both at once.
MapGround::MapGround(const MapGrid& grid, TerrainSource& terrain, std::vector<std::string>& remarks)
    : local_(grid.projection.is_local()), plane_(grid.projection.plane), map_(grid.projection) {
    if (local_)
        throw InputError(fmt::format(
            "{}: a local plane has no latitudes at which a terrain could be asked; give --height instead of --dem",
            terrain.name()));
    heights_ = std::make_shared<const HeightSurface>(read_heights(grid, map_, terrain));
    std::vector<SurfacePoint> points;
    int unknown = 0;
    limits_ = {INFINITY, -INFINITY};
    for_places(grid, [&](const MapPoint& point) {
        const Geographic place = map_.at(point);
        unknown += heights_->known(place.latitude_deg, place.longitude_deg) ? 0 : 1;
        points.push_back({.x = point.x, .y = point.y, .value = terrain_m(place)});
        limits_ = {std::min(limits_.lowest_m, points.back().value), std::max(limits_.highest_m, points.back().value)};
    });
    check_known_heights(terrain, static_cast<double>(unknown) / (places * places), "map", remarks);
    smooth_m_ = fit_surface(frame_of(grid), powers_up_to(3, 3), points);
}

std::shared_ptr<const MapGround> MapGround::evened(const MapGrid& grid) const {
    std::vector<SurfacePoint> points;
    for_places(grid, [&](const MapPoint& point) {
        points.push_back({.x = point.x, .y = point.y, .value = smooth_height_m(point)});
    });
    return std::shared_ptr<const MapGround>(
        new MapGround(grid.projection, fit_surface(frame_of(grid), {{0, 0}, {1, 0}, {0, 1}}, points), *this));
}

MapGround::Point MapGround::raised(const MapPoint& point, double height_m) const {
    if (local_) return {{point.x, point.y, height_m}, {0, 0, 1}};
    if (plane_) {
        const Vec3 at_m = plane_->at(point.x, point.y, height_m), up = plane_->normal();
        return {{at_m[0], at_m[1], at_m[2]}, {up[0], up[1], up[2]}};
    }
    Geographic place = map_.at(point);
    place.height_m = height_m;
    const Vec3 at_m = point_of(place), up = local_frame(place).up;
    return {{at_m[0], at_m[1], at_m[2]}, {up[0], up[1], up[2]}};
}

double MapGround::relief_m(const MapPoint& point) const {
    return heights_ ? terrain_m(map_.at(point)) - smooth_height_m(point) : 0;
}

/// Latitudes lie straight between those 500 m apart to 0.01 m.
std::vector<float> MapGround::relief_m(const MapGrid& part) const {
    if (!heights_) return {};
    MapNodes<Geographic> nodes(part);
    for (std::int64_t row = 0; row < nodes.rows(); ++row)
        for (std::int64_t column = 0; column < nodes.columns(); ++column) {
            Geographic& place = nodes.at(row, column) = map_.at(nodes.point(row, column));
            place.longitude_deg = longitude_near_deg(place.longitude_deg, nodes.at(0, 0).longitude_deg);
        }
    std::vector<float> relief(static_cast<std::size_t>(part.rows * part.columns));
#pragma omp parallel for
    for (std::int64_t row = 0; row < part.rows; ++row)
        for (std::int64_t column = 0; column < part.columns; ++column) {
            const auto of = [&](double Geographic::*angle) { return nodes(row, column, angle); };
            const Geographic place{of(&Geographic::longitude_deg), of(&Geographic::latitude_deg),
                                   of(&Geographic::height_m)};
            const MapPoint point{part.x(static_cast<double>(column)), part.y(static_cast<double>(row))};
            relief[static_cast<std::size_t>(row * part.columns + column)] =
                static_cast<float>(terrain_m(place) - smooth_height_m(point));
        }
    return relief;
}

}  // namespace cornerturn
