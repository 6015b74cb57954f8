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
        for (int k = 0; k < places; ++k) take(grid.at(spread(grid.rows, i), spread(grid.columns, k)));
}

void check_covers(const TerrainSource& terrain, const GeographicBox& box) {
    const GeographicBox there = terrain.extent();
    const double turn_deg =
        longitude_near_deg(0.5 * (box.west_deg + box.east_deg), 0.5 * (there.west_deg + there.east_deg)) -
        0.5 * (box.west_deg + box.east_deg);  // by whole circles
    if (box.south_deg >= there.south_deg && box.north_deg <= there.north_deg &&
        (there.goes_round() ||
         (box.west_deg + turn_deg >= there.west_deg && box.east_deg + turn_deg <= there.east_deg)))
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
    heights_ = read_heights(grid, terrain);
    std::vector<SurfacePoint> points;
    int unknown = 0;
    limits_ = {INFINITY, -INFINITY};
    for_places(grid, [&](const MapPoint& point) {
        const Upright line = upright(point);
        unknown += heights_->known(line.latitude_deg, line.longitude_deg) ? 0 : 1;
        points.push_back({.x = point.x, .y = point.y, .value = terrain_m(line)});
        limits_ = {std::min(limits_.lowest_m, points.back().value), std::max(limits_.highest_m, points.back().value)};
    });
    check_known_heights(terrain, static_cast<double>(unknown) / (places * places), "map", remarks);
    smooth_m_ = fit_surface(frame_of(grid), powers_up_to(3, 3), points);
}

MapGround::Upright MapGround::upright(const MapPoint& point) const {
    const Geographic foot = map_.at(point);
    Upright line{.latitude_deg = foot.latitude_deg, .longitude_deg = foot.longitude_deg, .height_m = foot.height_m};
    if (!plane_) return line;
    constexpr double up_m = 100;
    const Geographic above = geographic(plane_->at(point.x, point.y, up_m));
    line.latitude_deg_per_m = (above.latitude_deg - foot.latitude_deg) / up_m;
    line.longitude_deg_per_m =
        (longitude_near_deg(above.longitude_deg, foot.longitude_deg) - foot.longitude_deg) / up_m;
    line.height_m_per_m = (above.height_m - foot.height_m) / up_m;
    return line;
}

double MapGround::terrain_m(const Upright& line) const {
    constexpr int most_rounds = 30;
    constexpr double least_deg = 1e-9;  // 0.1 mm
    double up_m = 0;
    for (int round = 0; round < most_rounds; ++round) {
        const double missed_m = heights_->height_m(line.latitude_deg + up_m * line.latitude_deg_per_m,
                                                   line.longitude_deg + up_m * line.longitude_deg_per_m) -
                                (line.height_m + up_m * line.height_m_per_m);
        const double step_m = missed_m / line.height_m_per_m;
        up_m += step_m;
        if (std::abs(step_m * line.latitude_deg_per_m) + std::abs(step_m * line.longitude_deg_per_m) < least_deg) break;
    }
    return up_m;
}

/// Of the places below the map, and of those that uprights lean to on their way to the highest and lowest terrain.
GeographicBox MapGround::box_of(const MapGrid& grid, const HeightSurface* heights) const {
    GeographicBox box{INFINITY, -INFINITY, INFINITY, -INFINITY};
    std::optional<double> near_deg;
    for_places(grid, [&](const MapPoint& point) {
        const Upright line = upright(point);
        near_deg = near_deg.value_or(line.longitude_deg);
        const auto add = [&](double up_m) {
            const double latitude_deg = line.latitude_deg + up_m * line.latitude_deg_per_m,
                         longitude_deg =
                             longitude_near_deg(line.longitude_deg + up_m * line.longitude_deg_per_m, *near_deg);
            box = {std::min(box.south_deg, latitude_deg), std::max(box.north_deg, latitude_deg),
                   std::min(box.west_deg, longitude_deg), std::max(box.east_deg, longitude_deg)};
        };
        add(0);
        if (heights == nullptr) return;
        for (const double height_m : {heights->lowest_m(), heights->highest_m()})
            add((height_m - line.height_m) / line.height_m_per_m);
    });
    return box;
}

/// Of cells about as large as pixels, with one to spare at the edges.
std::shared_ptr<const HeightSurface> MapGround::read_heights(const MapGrid& grid, TerrainSource& terrain) const {
    const GeographicBox below = box_of(grid, nullptr);
    check_covers(terrain, below);
    const PixelSize pixel = pixel_size(grid);
    const DegreeSize degree_m = degree_size(0.5 * (below.south_deg + below.north_deg));
    const auto heights_of = [&](const GeographicBox& box) {
        HeightGrid heights =
            terrain.read(box, pixel.down_m / degree_m.latitude_m, pixel.across_m / degree_m.longitude_m);
        if (std::all_of(heights.height_m.begin(), heights.height_m.end(), [](float h) { return std::isnan(h); }))
            throw InputError(fmt::format(
                "{}: knows no height within {}, where the map lies; give a terrain that does, or one --height for all "
                "of it",
                terrain.name(), text_of(box)));
        return std::make_shared<const HeightSurface>(std::move(heights));
    };
    const auto heights = heights_of(below);
    return plane_ ? heights_of(box_of(grid, heights.get())) : heights;
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
    if (plane_) return {place_of(plane_->at(point.x, point.y, height_m)), place_of(plane_->normal())};
    Geographic place = map_.at(point);
    place.height_m = height_m;
    return {place_of(point_of(place)), place_of(local_frame(place).up)};
}

double MapGround::relief_m(const MapPoint& point) const {
    return heights_ ? terrain_m(upright(point)) - smooth_height_m(point) : 0;
}

/// Latitudes lie straight between those 500 m apart to 0.01 m. Heights of a plane do so to 0.6 mm between those 128 m
/// apart, as the Earth is round, which is 9 degrees of phase in X band, and to 0.02 mm between those 20 m apart.
std::vector<float> MapGround::relief_m(const MapGrid& part) const {
    if (!heights_) return {};
    MapNodes<Upright> nodes(part, plane_ ? 20 : 500);
    for (std::int64_t row = 0; row < nodes.rows(); ++row)
        for (std::int64_t column = 0; column < nodes.columns(); ++column) {
            Upright& line = nodes.at(row, column) = upright(nodes.point(row, column));
            line.longitude_deg = longitude_near_deg(line.longitude_deg, nodes.at(0, 0).longitude_deg);
        }
    const auto mixed = [](const Upright& a, const Upright& b, double share) {
        const auto of = [&](double Upright::*number) { return a.*number + share * (b.*number - a.*number); };
        return Upright{
            of(&Upright::latitude_deg),       of(&Upright::longitude_deg),       of(&Upright::height_m),
            of(&Upright::latitude_deg_per_m), of(&Upright::longitude_deg_per_m), of(&Upright::height_m_per_m)};
    };
    std::vector<float> relief(static_cast<std::size_t>(part.rows * part.columns));
#pragma omp parallel for
    for (std::int64_t row = 0; row < part.rows; ++row) {
        float* const of_row = relief.data() + row * part.columns;
        nodes.for_stretches(
            row, mixed,
            [&](std::int64_t first, std::int64_t last, const Upright& left, const Upright& right, double per_column) {
                for (std::int64_t column = first; column < last; ++column) {
                    const Upright line = mixed(left, right, per_column * static_cast<double>(column - first));
                    const MapPoint point = part.at(static_cast<double>(row), static_cast<double>(column));
                    of_row[column] = static_cast<float>(terrain_m(line) - smooth_height_m(point));
                }
            });
    }
    return relief;
}

}  // namespace cornerturn
