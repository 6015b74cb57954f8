// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/scene_grid.h"

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/map_ground.h"
#include "pipeline/formers/map_sampling.h"

namespace cornerturn {
namespace {

struct MapSteps {
    double x = 0, y = 0;  ///< in the map's units
};

/// A number of two digits, not above.
double tidy(double value) {
    const double digit = std::pow(10.0, std::floor(std::log10(value)) - 1);
    return digit * std::floor(value / digit * (1 + 1e-9));
}

MapSteps steps_by_resolution(const Acquisition& acquisition, const MapGround& ground, const MapPoint& middle,
                             double step) {
    constexpr double room = 1.25;
    // Of pulses from one direction an axis may tell next to nothing: then a pixel is at most so large.
    constexpr double largest_m = 100;
    const MapBandwidth cycles = map_bandwidth(acquisition, ground, middle, step, antenna_over_pulses_m(acquisition));
    const Place south = ground.at({middle.x, middle.y - step}).place,
                north = ground.at({middle.x, middle.y + step}).place;
    const double unit_m = distance_m(south, north) / (2 * step);
    const auto spacing = [&](double cycles_per_unit) {
        return tidy(std::min(1 / (room * cycles_per_unit), largest_m / unit_m));
    };
    return {spacing(cycles.x), spacing(cycles.y)};
}

}  // namespace

MapGrid grid_over_scene(const Acquisition& acquisition, const MapRequest& request, double height_m) {
    const SceneArea& area = *acquisition.scene;
    const Geographic origin = geographic(area.plane.origin_m);
    MapProjection projection = request.projection.value_or(MapProjection::utm_at(origin));
    if (projection.is_plane()) projection = MapProjection::on(area.plane);
    const MapTransform transform(projection);
    const auto on_map = [&](double x_m, double y_m) {
        return projection.is_plane() ? MapPoint{x_m, y_m} : transform.of(geographic(area.plane.at(x_m, y_m)));
    };
    const MapPoint middle =
        on_map(0.5 * (area.least_x_m + area.greatest_x_m), 0.5 * (area.least_y_m + area.greatest_y_m));
    MapPoint least = middle, greatest = middle;
    for (const double x_m : {area.least_x_m, area.greatest_x_m})
        for (const double y_m : {area.least_y_m, area.greatest_y_m}) {
            MapPoint corner = on_map(x_m, y_m);
            if (projection.in_degrees()) corner.x = longitude_near_deg(corner.x, middle.x);
            least = {std::min(least.x, corner.x), std::min(least.y, corner.y)};
            greatest = {std::max(greatest.x, corner.x), std::max(greatest.y, corner.y)};
        }
    const DegreeSize degree_m = degree_size(origin.latitude_deg);
    MapSteps steps{request.spacing_m, request.spacing_m};
    if (request.spacing_m == 0)
        steps = steps_by_resolution(acquisition, MapGround(projection, height_m), middle,
                                    projection.in_degrees() ? 1 / degree_m.latitude_m : 1);
    else if (projection.in_degrees())
        steps = {request.spacing_m / degree_m.longitude_m, request.spacing_m / degree_m.latitude_m};
    return grid_over(projection, least, greatest, steps.x, steps.y);
}

}  // namespace cornerturn
