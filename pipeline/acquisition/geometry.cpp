// SPDX-License-Identifier: Apache-2.0
// Points on the WGS84 ellipsoid.
#include "pipeline/acquisition/geometry.h"

#include <algorithm>
#include <numbers>

namespace cornerturn {
namespace {

/// Coordinates in which the ellipsoid is the unit sphere.
Vec3 to_sphere(const Vec3& p) {
    return {p[0] / wgs84_equatorial_radius_m, p[1] / wgs84_equatorial_radius_m, p[2] / wgs84_polar_radius_m};
}

/// `a` without its part along the unit vector `axis`, of length 1; nothing where `a` runs along it.
std::optional<Vec3> perpendicular(const Vec3& a, const Vec3& axis) {
    const Vec3 rest = a - dot(a, axis) * axis;
    const double length = norm(rest);
    if (!(length > 1e-9 * norm(a))) return std::nullopt;
    return (1.0 / length) * rest;
}

/// Unit vector perpendicular to `forward` that points down as far as it can; any perpendicular where down is along
/// `forward`.
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
    constexpr double flat =
        wgs84_equatorial_radius_m * wgs84_equatorial_radius_m / (wgs84_polar_radius_m * wgs84_polar_radius_m);
    return unit({p[0], p[1], flat * p[2]});
}

std::optional<Vec3> ellipsoid_intersection(const Vec3& position_m, const Vec3& direction) {
    const Vec3 ray = unit(direction), p = to_sphere(position_m), d = to_sphere(ray);
    const double a = dot(d, d), b = dot(p, d), c = dot(p, p) - 1.0;
    const double root = b * b - a * c;
    if (root < 0 || b >= 0) return std::nullopt;
    return position_m + c / (-b + std::sqrt(root)) * ray;  // the nearer root, without cancellation
}

/// How far outside of the ellipsoid raised by a height the point lies that is seen at a range under an angle from
/// straight down: negative inside, zero on it, positive outside. The ellipsoid is the unit sphere of coordinates over
/// its radii.
class LookPlane::Outside {
public:
    Outside(const LookPlane& plane, double range_m, double height_m)
        : range_m_(range_m), a_m_(wgs84_equatorial_radius_m + height_m), b_m_(wgs84_polar_radius_m + height_m) {
        const double per_a2 = 1 / (a_m_ * a_m_), per_b2 = 1 / (b_m_ * b_m_);
        const auto scaled = [&](const Product& product) { return product.across * per_a2 + product.axial * per_b2; };
        constant_ = scaled(plane.position_position_) - 1;
        cosine_ = 2 * range_m * scaled(plane.position_down_);
        sine_ = 2 * range_m * scaled(plane.position_sideways_);
        cosine2_ = range_m * range_m * scaled(plane.down_down_);
        both_ = 2 * range_m * range_m * scaled(plane.down_sideways_);
        sine2_ = range_m * range_m * scaled(plane.sideways_sideways_);
    }

    struct Angle {
        double cosine, sine;
    };
    double at(Angle look) const {
        return constant_ + look.cosine * (cosine_ + look.cosine * cosine2_ + look.sine * both_) +
               look.sine * (sine_ + look.sine * sine2_);
    }
    double slope(Angle look) const {
        const double over_cosine = cosine_ + 2 * look.cosine * cosine2_ + look.sine * both_,
                     over_sine = sine_ + 2 * look.sine * sine2_ + look.cosine * both_;
        return look.cosine * over_sine - look.sine * over_cosine;
    }
    /// Change per metre by which the ellipsoid is raised, at a point of it.
    double over_height(const Vec3& point_m) const {
        return -2 * ((point_m[0] * point_m[0] + point_m[1] * point_m[1]) / (a_m_ * a_m_ * a_m_) +
                     point_m[2] * point_m[2] / (b_m_ * b_m_ * b_m_));
    }

    /// Where it comes from inside to outside, as it has to be at either end.
    Angle zero() const {
        if (const auto near = by_newton()) return *near;
        return by_bisection();
    }

private:
    /// From where the angle would be on a sphere, without angles: a small step turns the unit vector. Steps below 1e-9
    /// leave 1e-18.
    std::optional<Angle> by_newton() const {
        constexpr int most_rounds = 12;
        constexpr double largest_step = 0.5, last_step = 1e-9;
        const double cosine = std::clamp(-(constant_ + sine2_) / cosine_, -1.0, 1.0);
        Angle look{cosine, std::sqrt(1 - cosine * cosine)};
        for (int round = 0; round < most_rounds; ++round) {
            const double rising = slope(look), step = -at(look) / rising;
            if (!(rising > 0 && std::abs(step) < largest_step)) return std::nullopt;
            const Angle turned{look.cosine - step * look.sine, look.sine + step * look.cosine};
            const double shorter = 1 / std::sqrt(1 + step * step);
            look = {shorter * turned.cosine, shorter * turned.sine};
            if (!(look.sine > 0)) return std::nullopt;
            if (std::abs(step) < last_step) return look;
        }
        return std::nullopt;
    }

    /// Down to neighbouring numbers: about 55 steps.
    Angle by_bisection() const {
        double inside_rad = 0, outside_rad = std::numbers::pi;
        while (true) {
            const double middle = 0.5 * (inside_rad + outside_rad);
            const Angle look{std::cos(middle), std::sin(middle)};
            if (middle <= inside_rad || middle >= outside_rad) return look;
            (at(look) > 0 ? outside_rad : inside_rad) = middle;
        }
    }

    double range_m_, a_m_, b_m_, constant_, cosine_, sine_, cosine2_, both_, sine2_;
};

LookPlane::LookPlane(const Vec3& position_m, const Vec3& forward, LookSide side) : position_m_(position_m) {
    const Vec3 along = norm(forward) > 0 ? unit(forward) : Vec3{0, 0, 1};
    down_ = downward(position_m, along);
    const Vec3 left = cross(along, down_);
    sideways_ = side == LookSide::left ? left : -1.0 * left;
    position_position_ = {position_m_, position_m_};
    position_down_ = {position_m_, down_};
    position_sideways_ = {position_m_, sideways_};
    down_down_ = {down_, down_};
    down_sideways_ = {down_, sideways_};
    sideways_sideways_ = {sideways_, sideways_};
}

GroundPoint LookPlane::at(double range_m, double height_m) const {
    using Angle = Outside::Angle;
    const Outside outside(*this, range_m, height_m);
    const auto seen = [&](Angle look) {
        return position_m_ + (range_m * look.cosine) * down_ + (range_m * look.sine) * sideways_;
    };
    constexpr double half_root = std::numbers::sqrt2 / 2;
    if (outside.at({1, 0}) > 0) return {seen({1, 0}), false};
    if (!(outside.at({-1, 0}) > 0)) return {seen({half_root, half_root}), false};
    const Angle look = outside.zero();
    const Vec3 point_m = seen(look);
    const double slope = outside.slope(look), turned = slope > 0 ? -outside.over_height(point_m) / slope : 0.0;
    return {point_m, true, (turned * range_m) * (look.cosine * sideways_ - look.sine * down_)};
}

double incidence_angle_rad(const Vec3& antenna_m, const Vec3& target_m) {
    const Vec3 normal = ellipsoid_normal(target_m), look = unit(antenna_m - target_m);
    return std::atan2(norm(cross(normal, look)), dot(normal, look));
}

}  // namespace cornerturn
