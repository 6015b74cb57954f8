// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/ground/footprint.h"

#include <array>
#include <cmath>

#include "pipeline/acquisition/degree.h"

namespace cornerturn {
namespace {

constexpr double flattening_squared =
    1 - wgs84_polar_radius_m * wgs84_polar_radius_m / (wgs84_equatorial_radius_m * wgs84_equatorial_radius_m);

double angle_deg(const Vec3& a, const Vec3& b) { return std::atan2(norm(cross(a, b)), dot(a, b)) / degree; }

}  // namespace

/// Hirvonen's fixed point, (cos, sin) of the latitude along (p, z + e^2 N sin): each round gains more than two digits.
Geographic geographic(const Vec3& point_m) {
    const double p_m = std::hypot(point_m[0], point_m[1]), z_m = point_m[2];
    double sine = 0, cosine = 1, curvature_m = wgs84_equatorial_radius_m;
    for (int round = 0; round < 8; ++round) {
        const double up_m = z_m + flattening_squared * curvature_m * sine,
                     length_m = std::sqrt(p_m * p_m + up_m * up_m);
        sine = up_m / length_m;
        cosine = p_m / length_m;
        curvature_m = wgs84_equatorial_radius_m / std::sqrt(1 - flattening_squared * sine * sine);
    }
    const double level_m = wgs84_equatorial_radius_m * std::sqrt(1 - flattening_squared * sine * sine);
    return {std::atan2(point_m[1], point_m[0]) / degree, std::atan2(sine, cosine) / degree,
            p_m * cosine + z_m * sine - level_m};
}

Vec3 point_of(const Geographic& place) {
    const double latitude = place.latitude_deg * degree, longitude = place.longitude_deg * degree,
                 sine = std::sin(latitude);
    const double curvature_m = wgs84_equatorial_radius_m / std::sqrt(1 - flattening_squared * sine * sine);
    const double out_m = (curvature_m + place.height_m) * std::cos(latitude);
    return {out_m * std::cos(longitude), out_m * std::sin(longitude),
            (curvature_m * (1 - flattening_squared) + place.height_m) * sine};
}

/// Radii of curvature of the prime vertical and of the meridian.
DegreeSize degree_size(double latitude_deg) {
    const double sine = std::sin(latitude_deg * degree), w = 1 - flattening_squared * sine * sine;
    const double vertical_m = wgs84_equatorial_radius_m / std::sqrt(w),
                 meridian_m = vertical_m * (1 - flattening_squared) / w;
    return {vertical_m * std::cos(latitude_deg * degree) * degree, meridian_m * degree};
}

LocalFrame local_frame(const Geographic& place) {
    const double latitude = place.latitude_deg * degree, longitude = place.longitude_deg * degree;
    const double sine = std::sin(latitude), cosine = std::cos(latitude), east = std::sin(longitude),
                 towards = std::cos(longitude);
    return {.east = {-east, towards, 0},
            .north = {-sine * towards, -sine * east, cosine},
            .up = {cosine * towards, cosine * east, sine}};
}

double bearing_deg(const Vec3& direction, const LocalFrame& frame) {
    const double angle_deg = degrees(std::atan2(dot(direction, frame.east), dot(direction, frame.north)));
    return angle_deg < 0 ? angle_deg + 360 : angle_deg;
}

double heading_deg(const StateVector& platform) {
    return bearing_deg(platform.velocity_m_s, local_frame(geographic(platform.position_m)));
}

std::optional<GroundView> ground_view(const StateVector& platform, double range_m, LookSide side, double height_m) {
    const GroundPoint point = zero_doppler_ground_point(platform, range_m, side, height_m);
    if (!point.on_ellipsoid) return std::nullopt;
    const Geographic place = geographic(point.position_m);
    const LocalFrame frame = local_frame(place);
    const Vec3 to_antenna = unit(platform.position_m - point.position_m), along = unit(platform.velocity_m_s);
    // The plane of zero Doppler turns about the Earth's centre: a place moves as fast as it is far out along the
    // antenna's direction.
    const double reach = dot(platform.position_m, point.position_m) / dot(platform.position_m, platform.position_m);
    return GroundView{.place = place,
                      .incidence_deg = angle_deg(frame.up, to_antenna),
                      .elevation_deg = angle_deg(ellipsoid_normal(platform.position_m), to_antenna),
                      .to_antenna_east = dot(to_antenna, frame.east),
                      .to_antenna_north = dot(to_antenna, frame.north),
                      .along_track_east = dot(along, frame.east),
                      .along_track_north = dot(along, frame.north),
                      .ground_track_velocity_m_s = reach * norm(platform.velocity_m_s)};
}

std::vector<Geographic> outline(const Orbit& orbit, LookSide side, const ImageGrid& grid, double height_m,
                                int points_per_edge) {
    struct Corner {
        double row, column;
    };
    const double last_row = static_cast<double>(grid.rows - 1), last_column = static_cast<double>(grid.columns - 1);
    std::array<Corner, 5> corners{{{0, 0}, {0, last_column}, {last_row, last_column}, {last_row, 0}, {0, 0}}};
    if (side == LookSide::left) std::swap(corners[1], corners[3]);
    std::vector<Geographic> ring;
    for (std::size_t edge = 0; edge < 4; ++edge)
        for (int k = 0; k + 1 < points_per_edge; ++k) {
            const double part = static_cast<double>(k) / (points_per_edge - 1);
            const double row = std::lerp(corners[edge].row, corners[edge + 1].row, part),
                         column = std::lerp(corners[edge].column, corners[edge + 1].column, part);
            const GroundPoint point =
                zero_doppler_ground_point(interpolate(orbit, grid.time_s(row)), grid.range_m(column), side, height_m);
            if (!point.on_ellipsoid) return {};
            Geographic place = geographic(point.position_m);
            if (!ring.empty())
                place.longitude_deg += 360 * std::round((ring.back().longitude_deg - place.longitude_deg) / 360);
            ring.push_back(place);
        }
    ring.push_back(ring.front());
    return ring;
}

}  // namespace cornerturn
