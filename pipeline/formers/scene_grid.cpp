// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/scene_grid.h"

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/map_ground.h"

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

/// A pulse at the frequency f tells the wavenumber 2 f / c along its line of sight; what all of them span along an axis
/// is the bandwidth of the image there, in cycles per unit.
MapSteps steps_by_resolution(const Acquisition& acquisition, const MapGround& ground, const MapPoint& middle,
                             double step) {
    constexpr double room = 1.25;
    constexpr int looks = 65;
    const auto place_m = [&](double x, double y) {
        const Place place = ground.at({middle.x + x, middle.y + y}).place;
        return Vec3{place.x_m, place.y_m, place.z_m};
    };
    const Vec3 along_x = 0.5 / step * (place_m(step, 0) - place_m(-step, 0)),
               along_y = 0.5 / step * (place_m(0, step) - place_m(0, -step)), at_m = place_m(0, 0);
    double least_x = INFINITY, most_x = -INFINITY, least_y = INFINITY, most_y = -INFINITY;
    for (int look = 0; look < looks; ++look) {
        const auto line = static_cast<std::size_t>((acquisition.lines - 1) * look / (looks - 1));
        const Vec3 sight = unit(at_m - acquisition.phase_history->antenna_m[line]);
        for (const double edge : {-0.5, 0.5}) {
            const double per_m = 2 / c_m_s * (acquisition.carrier_hz + edge * acquisition.chirp.bandwidth_hz());
            const double x = per_m * dot(sight, along_x), y = per_m * dot(sight, along_y);
            least_x = std::min(least_x, x), most_x = std::max(most_x, x);
            least_y = std::min(least_y, y), most_y = std::max(most_y, y);
        }
    }
    // Of pulses from one direction an axis may tell next to nothing: then a pixel is at most so large.
    constexpr double largest_m = 100;
    const double unit_m = norm(along_y);
    const auto spacing = [&](double cycles) { return tidy(std::min(1 / (room * cycles), largest_m / unit_m)); };
    return {spacing(most_x - least_x), spacing(most_y - least_y)};
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
