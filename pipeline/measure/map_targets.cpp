// SPDX-License-Identifier: Apache-2.0
#include "pipeline/measure/map_targets.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/proof/geodesy.h"

namespace cornerturn {
namespace {

std::optional<Vec3> place_of(const Acquisition& acquisition, const PointTarget& truth) {
    if (truth.place_m) return truth.place_m;
    if (!acquisition.orbit) return std::nullopt;
    const StateVector antenna = interpolate(*acquisition.orbit, truth.zero_doppler_time_s);
    return place_at(antenna.position_m, antenna.velocity_m_s, truth.range_m, 0, truth.height_m,
                    acquisition.identification.look_side);
}

/// Of a place, up from the ground that a map shows; nothing where only its terrain could tell.
std::optional<double> above_map_m(const Image& image, const MapTerrain* terrain, const Vec3& place_m) {
    if (terrain != nullptr) return terrain->above_m(place_m);
    if (!image.processing.terrain.empty()) return std::nullopt;  // the image does not hold its heights
    const MapProjection& projection = image.map->projection;
    return projection.plane ? dot(place_m - projection.plane->origin_m, projection.plane->normal())
                            : to_geodetic(place_m).height_m - image.processing.scene_height_m;
}

/// Whether all pulses of a spotlight illuminate the target.
bool illuminated_throughout(const Acquisition& acquisition, const PointTarget& truth) {
    return truth.place_m && truth.illuminated_s && truth.illuminated_s->first_s <= acquisition.pulse_time_s(0) &&
           truth.illuminated_s->last_s >= acquisition.last_pulse_time_s();
}

Vec3 antenna_amid_pulses_m(const Acquisition& acquisition, const PointTarget& truth) {
    const double time_s = truth.illuminated_s ? 0.5 * (truth.illuminated_s->first_s + truth.illuminated_s->last_s)
                                              : truth.beam_centre_time_s;
    return interpolate(*acquisition.orbit, time_s).position_m;
}

/// Of the way there and back.
double cycles(const Image& image, const Vec3& antenna_m, const Vec3& place_m) {
    return 2 / image.acquisition.wavelength_m() * norm(place_m - antenna_m);
}

/// By how much the way changes from pixel to pixel about a target.
void find_cycles(const Image& image, const MapTransform& transform, const MapPoint& at, MapTarget::Truth& expected) {
    const auto cycles_at = [&](double x, double y) {
        const Geographic place = transform.at({x, y});
        const double height_m = image.map->projection.plane ? place.height_m : image.processing.scene_height_m;
        return cycles(image, expected.antenna_m, to_ecef({place.latitude_deg, place.longitude_deg, height_m}));
    };
    const double half_x = 0.5 * image.map->x_step, half_y = 0.5 * image.map->y_step;
    expected.cycles_across = cycles_at(at.x + half_x, at.y) - cycles_at(at.x - half_x, at.y);
    expected.cycles_down = cycles_at(at.x, at.y + half_y) - cycles_at(at.x, at.y - half_y);
}

/// Of cells about as large as the map's pixels, as the map takes them, and beyond its edges.
HeightSurface heights_about(const MapGrid& grid, TerrainSource& terrain) {
    constexpr double beyond = 0.2;  // of the map's size
    GeographicBox box{INFINITY, -INFINITY, INFINITY, -INFINITY};
    const std::vector<Geographic> ring = outline(grid, 0, 9);
    for (const Geographic& place : ring) {
        const double longitude_deg = longitude_near_deg(place.longitude_deg, ring.front().longitude_deg);
        box = {std::min(box.south_deg, place.latitude_deg), std::max(box.north_deg, place.latitude_deg),
               std::min(box.west_deg, longitude_deg), std::max(box.east_deg, longitude_deg)};
    }
    const double more_latitude_deg = beyond * (box.north_deg - box.south_deg),
                 more_longitude_deg = beyond * (box.east_deg - box.west_deg);
    box = {box.south_deg - more_latitude_deg, box.north_deg + more_latitude_deg, box.west_deg - more_longitude_deg,
           box.east_deg + more_longitude_deg};
    const PixelSize pixel = pixel_size(grid);
    const DegreeSize degree_m = degree_size(0.5 * (box.south_deg + box.north_deg));
    return HeightSurface(terrain.read(box, pixel.down_m / degree_m.latitude_m, pixel.across_m / degree_m.longitude_m));
}

}  // namespace

std::vector<Geographic> places_of_targets(const Acquisition& acquisition) {
    std::vector<Geographic> places;
    for (const PointTarget& truth : acquisition.truth)
        if (const auto place_m = place_of(acquisition, truth)) places.push_back(geographic(*place_m));
    return places;
}

MapPoint counted_on(const MapGrid& grid, const MapPoint& point) {
    if (!grid.projection.in_degrees()) return point;
    return {longitude_near_deg(point.x, grid.x(0.5 * static_cast<double>(grid.columns - 1))), point.y};
}

MapTerrain::MapTerrain(const MapGrid& grid, TerrainSource& terrain)
    : grid_(grid), transform_(grid.projection), heights_(heights_about(grid, terrain)) {}

double MapTerrain::above_m(const Vec3& place_m) const {
    const Geodetic place = to_geodetic(place_m);
    return place.height_m - heights_.height_m(place.latitude_deg, place.longitude_deg);
}

Vec3 MapTerrain::place_m(const MapPoint& point) const {
    if (const auto& plane = grid_.projection.plane) {
        Vec3 place_m = plane->at(point.x, point.y);
        double up_m = 0;
        for (int round = 0; round < 20; ++round) {  // up from the plane, which need not be level
            const double missed_m = above_m(place_m);
            up_m -= missed_m;
            place_m = plane->at(point.x, point.y, up_m);
            if (std::abs(missed_m) < 1e-6) break;
        }
        return place_m;
    }
    const Geographic place = transform_.at(point);
    return to_ecef(
        {place.latitude_deg, place.longitude_deg, heights_.height_m(place.latitude_deg, place.longitude_deg)});
}

std::vector<MapTarget> known_map_targets(const Image& image, const MapTerrain* terrain) {
    constexpr double rounding_m = 1e-4;
    if (image.map->projection.is_local()) return {};
    const MapTransform transform(image.map->projection);
    std::vector<MapTarget> targets;
    for (const PointTarget& truth : image.acquisition.truth) {
        const auto place_m = place_of(image.acquisition, truth);
        if (!place_m) continue;
        const Geodetic place = to_geodetic(*place_m);
        const MapPoint on_map = transform.of({place.longitude_deg, place.latitude_deg, place.height_m});
        MapTarget target{.place = counted_on(*image.map, on_map), .above_m = above_map_m(image, terrain, *place_m)};
        if (image.acquisition.orbit && target.above_m && std::abs(*target.above_m) < rounding_m) {
            target.truth = {.amplitude = truth.amplitude,
                            .whole = illuminated_throughout(image.acquisition, truth),
                            .place_m = *place_m,
                            .antenna_m = antenna_amid_pulses_m(image.acquisition, truth)};
            if (terrain == nullptr) find_cycles(image, transform, target.place, *target.truth);
        }
        targets.push_back(target);
    }
    return targets;
}

ImageView flattened(const ImageView& image, const MapTerrain& terrain, const MapTarget& target) {
    return {image.header(), [&](const PixelBlock& block) {
                Pixels pixels = image.read(block);
                const Image& header = image.header();
                const MapTarget::Truth& truth = *target.truth;
                const double of_target = cycles(header, truth.antenna_m, truth.place_m);
                auto sample = pixels.samples.begin();
                for (std::int64_t row = block.first_row; row < block.first_row + block.rows; ++row)
                    for (std::int64_t k = block.first_column; k < block.first_column + block.columns; ++k, ++sample) {
                        const MapPoint point{header.map->x(static_cast<double>(k)),
                                             header.map->y(static_cast<double>(row))};
                        const double turns = cycles(header, truth.antenna_m, terrain.place_m(point)) - of_target;
                        *sample *= std::complex<float>(std::polar(1.0, -2 * std::numbers::pi * turns));
                    }
                return pixels;
            }};
}

}  // namespace cornerturn
