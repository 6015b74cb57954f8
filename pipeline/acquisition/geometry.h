// SPDX-License-Identifier: Apache-2.0
// Vectors, and points on the WGS84 ellipsoid.
#pragma once

#include <cmath>
#include <optional>

#include "kernels/math/two_way_delay.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

inline constexpr double wgs84_equatorial_radius_m = 6378137.0;
inline constexpr double wgs84_polar_radius_m = 6356752.314245179;

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vec3 operator*(double scale, const Vec3& a) { return {scale * a[0], scale * a[1], scale * a[2]}; }
inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
/// A place as kernels have it.
inline Place place_of(const Vec3& at_m) { return {at_m[0], at_m[1], at_m[2]}; }
inline Vec3 vector_of(const Place& place) { return {place.x_m, place.y_m, place.z_m}; }
/// Of length 1; a vector of length 0 stays as it is.
Vec3 unit(const Vec3& a);
/// v turned by a unit quaternion (w, x, y, z).
Vec3 rotate(const std::array<double, 4>& quaternion, const Vec3& v);

/// Outward normal of the ellipsoid through a point, of length 1.
Vec3 ellipsoid_normal(const Vec3& point_m);
/// Where the ray from a position first meets the ellipsoid; nothing where it misses.
std::optional<Vec3> ellipsoid_intersection(const Vec3& position_m, const Vec3& direction);

struct GroundPoint {
    Vec3 position_m{};
    bool on_ellipsoid = true;  ///< false: the range does not reach it, the point hangs below or beside the antenna
    Vec3 rise{};               ///< change of the position per metre of height, at the same range
};

/// The plane through an antenna perpendicular to `forward`, and on the look side of it the points of the ellipsoid at
/// given slant ranges. Always a finite point of that plane at that range: straight down where the range ends above the
/// ground, at 45 degrees to the side where there is no ground at all. The ellipsoid may be raised by a height: by less
/// than 1e-5 of it other than at that height everywhere.
class LookPlane {
public:
    LookPlane(const Vec3& position_m, const Vec3& forward, LookSide side);
    GroundPoint at(double range_m, double height_m = 0) const;

private:
    /// A scalar product, its part along the Earth's axis apart.
    struct Product {
        double across = 0, axial = 0;
        Product() = default;
        Product(const Vec3& a, const Vec3& b) : across(a[0] * b[0] + a[1] * b[1]), axial(a[2] * b[2]) {}
    };
    class Outside;

    Vec3 position_m_, down_, sideways_;
    Product position_position_, position_down_, position_sideways_, down_down_, down_sideways_, sideways_sideways_;
};

inline GroundPoint ground_point(const Vec3& position_m, const Vec3& forward, double range_m, LookSide side,
                                double height_m) {
    return LookPlane(position_m, forward, side).at(range_m, height_m);
}

/// The same for zero Doppler: perpendicular to the velocity.
inline GroundPoint zero_doppler_ground_point(const StateVector& state, double range_m, LookSide side,
                                             double height_m = 0) {
    return ground_point(state.position_m, state.velocity_m_s, range_m, side, height_m);
}

/// Angle at the target between the ellipsoid's normal and the direction to the antenna.
double incidence_angle_rad(const Vec3& antenna_m, const Vec3& target_m);

}  // namespace cornerturn
