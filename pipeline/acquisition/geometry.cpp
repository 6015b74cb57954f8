// SPDX-License-Identifier: Apache-2.0
// Points on the WGS84 ellipsoid.
#include "pipeline/acquisition/geometry.h"

#include <algorithm>
#include <numbers>

namespace cornerturn {
namespace {

/// Coordinates in which the ellipsoid is the unit sphere.
Vec3 to_sphere(const Vec3& p) { return {p[0] / wgs84_equatorial_radius_m, p[1] / wgs84_equatorial_radius_m, p[2] / wgs84_polar_radius_m}; }

/// Negative inside the ellipsoid raised by a height, positive outside.
double outside(const Vec3& p, double height_m) {
    const double a = wgs84_equatorial_radius_m + height_m, b = wgs84_polar_radius_m + height_m;
    return (p[0] * p[0] + p[1] * p[1]) / (a * a) + p[2] * p[2] / (b * b) - 1.0;
}

/// `a` without its part along the unit vector `axis`, of length 1; nothing where `a` runs along it.
std::optional<Vec3> perpendicular(const Vec3& a, const Vec3& axis) {
    const Vec3 rest = a - dot(a, axis) * axis;
    const double length = norm(rest);
    if (!(length > 1e-9 * norm(a))) return std::nullopt;
    return (1.0 / length) * rest;
}

/// Unit vector perpendicular to `forward` that points down as far as it can; any perpendicular where down is along `forward`.
Vec3 downward(const Vec3& position_m, const Vec3& forward) {
    if (const auto down = perpendicular(-1.0 * position_m, forward)) return *down;
    const auto other = perpendicular({0, 0, -1}, forward);
    return other ? *other : Vec3{1, 0, 0};
}

}  // namespace

Vec3 unit(const Vec3& a) {
    const double length = norm(a);
    return length > 0 ? (1.0 / length) * a : a;
}

Vec3 rotate(const std::array<double, 4>& q, const Vec3& v) {
    const Vec3 axis{q[1], q[2], q[3]};
    const Vec3 twice = 2.0 * cross(axis, v);
    return v + q[0] * twice + cross(axis, twice);
}

Vec3 ellipsoid_normal(const Vec3& p) {
    constexpr double flat = wgs84_equatorial_radius_m * wgs84_equatorial_radius_m / (wgs84_polar_radius_m * wgs84_polar_radius_m);
    return unit({p[0], p[1], flat * p[2]});
}

std::optional<Vec3> ellipsoid_intersection(const Vec3& position_m, const Vec3& direction) {
    const Vec3 ray = unit(direction), p = to_sphere(position_m), d = to_sphere(ray);
    const double a = dot(d, d), b = dot(p, d), c = dot(p, p) - 1.0;
    const double root = b * b - a * c;
    if (root < 0 || b >= 0) return std::nullopt;
    return position_m + c / (-b + std::sqrt(root)) * ray;  // the nearer root, without cancellation
}

GroundPoint ground_point(const Vec3& position_m, const Vec3& forward, double range_m, LookSide side, double height_m) {
    const Vec3 along = norm(forward) > 0 ? unit(forward) : Vec3{0, 0, 1};
    const Vec3 down = downward(position_m, along);
    const Vec3 left = cross(along, down);
    const Vec3 sideways = side == LookSide::left ? left : -1.0 * left;
    const auto at = [&](double look_rad) {
        return position_m + (range_m * std::cos(look_rad)) * down + (range_m * std::sin(look_rad)) * sideways;
    };

    if (outside(at(0.0), height_m) > 0) return {at(0.0), false};
    double inside_rad = 0, outside_rad = std::numbers::pi;
    if (!(outside(at(outside_rad), height_m) > 0)) return {at(std::numbers::pi / 4), false};
    while (true) {  // bisection down to neighbouring numbers: about 55 steps
        const double middle = 0.5 * (inside_rad + outside_rad);
        if (middle <= inside_rad || middle >= outside_rad) return {at(middle), true};
        (outside(at(middle), height_m) > 0 ? outside_rad : inside_rad) = middle;
    }
}

double incidence_angle_rad(const Vec3& antenna_m, const Vec3& target_m) {
    const Vec3 normal = ellipsoid_normal(target_m), look = unit(antenna_m - target_m);
    return std::atan2(norm(cross(normal, look)), dot(normal, look));
}

}  // namespace cornerturn
