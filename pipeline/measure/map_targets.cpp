// SPDX-License-Identifier: Apache-2.0
#include "pipeline/measure/map_targets.h"

#include <cmath>
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

bool on_ground_of_map(const Image& image, const Vec3& place_m) {
    constexpr double rounding_m = 1e-4;
    if (!image.processing.terrain.empty()) return false;  // the image does not hold its heights
    const MapProjection& projection = image.map->projection;
    const double above_m = projection.plane ? dot(place_m - projection.plane->origin_m, projection.plane->normal())
                                            : to_geodetic(place_m).height_m - image.processing.scene_height_m;
    return std::abs(above_m) < rounding_m;
}

/// Whether all pulses of a spotlight illuminate the target.
bool illuminated_throughout(const Acquisition& acquisition, const PointTarget& truth) {
    return truth.place_m && truth.illuminated_s && truth.illuminated_s->first_s <= acquisition.pulse_time_s(0) &&
           truth.illuminated_s->last_s >= acquisition.pulse_time_s(static_cast<double>(acquisition.lines - 1));
}

/// Range from the antenna amid the pulses that see a target, of places about it on the map: by how much it changes from
/// pixel to pixel, in cycles of the way there and back.
void find_cycles(const Image& image, const MapTransform& transform, const PointTarget& truth, const MapPoint& at,
                 MapTarget::Truth& expected) {
    const Acquisition& acquisition = image.acquisition;
    const double time_s = truth.illuminated_s ? 0.5 * (truth.illuminated_s->first_s + truth.illuminated_s->last_s)
                                              : truth.beam_centre_time_s;
    const Vec3 antenna_m = interpolate(*acquisition.orbit, time_s).position_m;
    const auto cycles = [&](double x, double y) {
        const Geographic place = transform.at({x, y});
        const double height_m = image.map->projection.plane ? place.height_m : image.processing.scene_height_m;
        const Vec3 place_m = to_ecef({place.latitude_deg, place.longitude_deg, height_m});
        return 2 / acquisition.wavelength_m() * norm(place_m - antenna_m);
    };
    const double half_x = 0.5 * image.map->x_step, half_y = 0.5 * image.map->y_step;
    expected.cycles_across = cycles(at.x + half_x, at.y) - cycles(at.x - half_x, at.y);
    expected.cycles_down = cycles(at.x, at.y + half_y) - cycles(at.x, at.y - half_y);
}

}  // namespace

std::vector<Geographic> places_of_targets(const Acquisition& acquisition) {
    std::vector<Geographic> places;
    for (const PointTarget& truth : acquisition.truth)
        if (const auto place_m = place_of(acquisition, truth)) places.push_back(geographic(*place_m));
    return places;
}

std::vector<MapTarget> known_map_targets(const Image& image) {
    if (image.map->projection.is_local()) return {};
    const MapTransform transform(image.map->projection);
    std::vector<MapTarget> targets;
    for (const PointTarget& truth : image.acquisition.truth) {
        const auto place_m = place_of(image.acquisition, truth);
        if (!place_m) continue;
        const Geodetic place = to_geodetic(*place_m);
        MapTarget target{.place = transform.of({place.longitude_deg, place.latitude_deg, place.height_m})};
        if (image.acquisition.orbit && on_ground_of_map(image, *place_m)) {
            target.truth = {.amplitude = truth.amplitude, .whole = illuminated_throughout(image.acquisition, truth)};
            find_cycles(image, transform, truth, target.place, *target.truth);
        }
        targets.push_back(target);
    }
    return targets;
}

}  // namespace cornerturn
