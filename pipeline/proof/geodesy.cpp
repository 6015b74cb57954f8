// SPDX-License-Identifier: Apache-2.0
#include "pipeline/proof/geodesy.h"

#include <cmath>
#include <numbers>

#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

constexpr double a_m = wgs84_equatorial_radius_m, b_m = wgs84_polar_radius_m;
constexpr double e2 = 1 - b_m * b_m / (a_m * a_m);

/// Latitude by Bowring (1976), repeated: each round gains six digits at the heights of satellites.
double latitude_rad(double equatorial_m, double polar_m) {
    double reduced = std::atan2(a_m * polar_m, b_m * equatorial_m), latitude = 0;
    for (int round = 0; round < 4; ++round) {
        const double sine = std::sin(reduced), cosine = std::cos(reduced);
        latitude = std::atan2(polar_m + e2 / (1 - e2) * b_m * sine * sine * sine,
                              equatorial_m - e2 * a_m * cosine * cosine * cosine);
        reduced = std::atan2(b_m * std::sin(latitude), a_m * std::cos(latitude));
    }
    return latitude;
}

struct HeightAndNormal {
    double height_m;
    Vec3 normal;
};

HeightAndNormal height_and_normal(const Vec3& place_m) {
    const double equatorial_m = std::hypot(place_m[0], place_m[1]), latitude = latitude_rad(equatorial_m, place_m[2]);
    const double sine = std::sin(latitude), cosine = std::cos(latitude);
    const double longitude = std::atan2(place_m[1], place_m[0]);
    return {equatorial_m * cosine + place_m[2] * sine - a_m * std::sqrt(1 - e2 * sine * sine),
            {cosine * std::cos(longitude), cosine * std::sin(longitude), sine}};
}

}  // namespace

Geodetic to_geodetic(const Vec3& place_m) {
    return {latitude_rad(std::hypot(place_m[0], place_m[1]), place_m[2]) / degree,
            std::atan2(place_m[1], place_m[0]) / degree, height_and_normal(place_m).height_m};
}

Vec3 to_ecef(const Geodetic& place) {
    const double sine = std::sin(place.latitude_deg * degree), cosine = std::cos(place.latitude_deg * degree);
    const double curvature_m = a_m / std::sqrt(1 - e2 * sine * sine);
    const double equatorial_m = (curvature_m + place.height_m) * cosine;
    return {equatorial_m * std::cos(place.longitude_deg * degree),
            equatorial_m * std::sin(place.longitude_deg * degree), ((1 - e2) * curvature_m + place.height_m) * sine};
}

Vec3 place_at(const Vec3& antenna_m, const Vec3& along, double range_m, double sine, double height_m, LookSide side) {
    const Vec3 forward = unit(along);
    Vec3 down = unit(dot(antenna_m, forward) * forward - antenna_m);
    if (!(norm(down) > 0)) down = unit(cross(forward, std::abs(forward[0]) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
    const Vec3 aside = (side == LookSide::left ? 1.0 : -1.0) * cross(forward, down);
    const Vec3 centre_m = antenna_m + range_m * sine * forward;
    const double radius_m = range_m * std::sqrt(1 - sine * sine);
    const auto at = [&](double look_rad) {
        return centre_m + radius_m * std::cos(look_rad) * down + radius_m * std::sin(look_rad) * aside;
    };
    const auto above_m = [&](double look_rad) { return height_and_normal(at(look_rad)).height_m - height_m; };
    if (above_m(0) > 0) return at(0);
    if (!(above_m(std::numbers::pi) > 0)) return at(std::numbers::pi / 4);
    // Newton's steps where they stay within what is known to hold the solution, else halves of it.
    double low = 0, high = std::numbers::pi, look = std::numbers::pi / 4;
    for (int round = 0; round < 200; ++round) {
        const HeightAndNormal here = height_and_normal(at(look));
        const double error_m = here.height_m - height_m;
        (error_m > 0 ? high : low) = look;
        const double slope = dot(here.normal, radius_m * std::cos(look) * aside - radius_m * std::sin(look) * down);
        double next = look - error_m / slope;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (std::abs(next - look) <= 1e-16 * look || !(low < high)) break;
        const bool settled = std::abs(next - look) * radius_m < 1e-10;
        look = next;
        if (settled) break;
    }
    return at(look);
}

}  // namespace cornerturn
