// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/geo_report.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/doppler/doppler.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/track/viewing_geometry.h"

namespace cornerturn {
namespace {

using Json = nlohmann::ordered_json;

const Orbit& orbit_of(const std::string& file, const Acquisition& acquisition) {
    if (acquisition.orbit && acquisition.orbit->time_s.size() >= 2) return *acquisition.orbit;
    throw InputError(fmt::format(
        "{}: holds no orbit, and without one nothing tells where on the Earth it lies; leave --geo out", file));
}

Json place_json(const Geographic& place) {
    return {{"latitude_deg", place.latitude_deg}, {"longitude_deg", place.longitude_deg}, {"height_m", place.height_m}};
}

/// `zero_doppler_time_s`: when the platform passes by what lies in a row, which may depend on the range.
Json geo_json(const std::string& file, const Acquisition& acquisition, const ImageGrid& grid, double height_m,
              const std::function<double(double row, double range_m)>& zero_doppler_time_s) {
    const Orbit& orbit = orbit_of(file, acquisition);
    const LookSide side = acquisition.identification.look_side;
    const double last_row = static_cast<double>(grid.rows - 1), last_column = static_cast<double>(grid.columns - 1);
    const auto platform = [&](double row, double column) {
        return interpolate(orbit, zero_doppler_time_s(row, grid.range_m(column)));
    };
    const auto view = [&](double row, double column) {
        const auto seen = ground_view(platform(row, column), grid.range_m(column), side, height_m);
        if (!seen)
            throw InputError(fmt::format(
                "{}: slant range {:.1f} m, seen from the orbit, does not reach {:.6g} m above the ellipsoid", file,
                grid.range_m(column), height_m));
        return *seen;
    };
    const GroundView middle = view(0.5 * last_row, 0.5 * last_column), near = view(0.5 * last_row, 0),
                     far = view(0.5 * last_row, last_column);
    const double ground_range_m = grid.range_spacing_m / std::sin(middle.incidence_deg * degree);
    return {{"look_side", side == LookSide::left ? "left" : "right"},
            {"heading_deg", heading_deg(platform(0.5 * last_row, 0.5 * last_column))},
            {"corners",
             {{"first_near", place_json(view(0, 0).place)},
              {"first_far", place_json(view(0, last_column).place)},
              {"last_near", place_json(view(last_row, 0).place)},
              {"last_far", place_json(view(last_row, last_column).place)}}},
            {"middle", place_json(middle.place)},
            {"incidence_near_deg", near.incidence_deg},
            {"incidence_middle_deg", middle.incidence_deg},
            {"incidence_far_deg", far.incidence_deg},
            {"ground_range_spacing_m", ground_range_m},
            {"azimuth_spacing_m", middle.ground_track_velocity_m_s * grid.time_spacing_s}};
}

/// Of a spotlight: what the file says it is about.
Json geo_of_scene(const Acquisition& acquisition) {
    const SceneArea& area = *acquisition.scene;
    const auto at = [&](double x_m, double y_m) { return place_json(geographic(area.plane.at(x_m, y_m))); };
    const StateVector antenna = acquisition.phase_history->middle();
    const Vec3& origin_m = area.plane.origin_m;
    return {{"look_side", acquisition.identification.look_side == LookSide::left ? "left" : "right"},
            {"heading_deg", heading_deg(antenna)},
            {"corners",
             {{"least_x_least_y", at(area.least_x_m, area.least_y_m)},
              {"greatest_x_least_y", at(area.greatest_x_m, area.least_y_m)},
              {"greatest_x_greatest_y", at(area.greatest_x_m, area.greatest_y_m)},
              {"least_x_greatest_y", at(area.least_x_m, area.greatest_y_m)}}},
            {"middle", place_json(geographic(origin_m))},
            {"incidence_middle_deg", incidence_angle_rad(antenna.position_m, origin_m) / degree}};
}

struct KnownDoppler {
    DopplerModel hz;
    std::string source;
};

KnownDoppler doppler_of(const Acquisition& acquisition) {
    if (const auto hz = acquisition.doppler_centroid_hz) return {[hz = *hz](double, double) { return hz; }, "file"};
    if (const auto surface = predicted_doppler(acquisition)) return {*surface, "orbit and attitude"};
    return {[](double, double) { return 0.0; }, "not known, taken for 0"};
}

}  // namespace

Json geo_of_image(const std::string& file, const Image& image) {
    return geo_json(file, image.acquisition, image.grid, image.processing.scene_height_m,
                    [&](double row, double) { return image.grid.time_s(row); });
}

Json geo_of_echo(const std::string& file, const Acquisition& acquisition) {
    if (acquisition.phase_history) return geo_of_scene(acquisition);
    constexpr double height_m = 0;
    const auto track =
        std::make_shared<OrbitTrack>(orbit_of(file, acquisition), acquisition.identification.look_side, height_m);
    const KnownDoppler doppler = doppler_of(acquisition);
    const ViewingGeometry geometry(track, doppler.hz, acquisition.carrier_hz);
    const ImageGrid grid{.rows = acquisition.lines,
                         .columns = acquisition.samples,
                         .first_time_s = acquisition.first_pulse_time_s,
                         .time_spacing_s = 1 / acquisition.prf_hz,
                         .near_range_m = acquisition.near_range_m,
                         .range_spacing_m = acquisition.range_spacing_m};
    Json json = geo_json(file, acquisition, grid, height_m, [&](double row, double range_m) {
        return geometry.zero_doppler_time_s(grid.time_s(row), range_m);
    });
    json["doppler_source"] = doppler.source;
    return json;
}

}  // namespace cornerturn
