// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/reference_geometry.h"

#include <cmath>

#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn::cphd {
namespace {

/// Of a vector's part on the ground.
double from_north_deg(const Vec3& v, const LocalFrame& frame) {
    const double angle_deg = degrees(std::atan2(dot(v, frame.east), dot(v, frame.north)));
    return angle_deg < 0 ? angle_deg + 360 : angle_deg;
}

}  // namespace

ReferenceGeometry reference_geometry(const StateVector& sender, const StateVector& receiver, const Vec3& reference_m) {
    ReferenceGeometry seen;
    seen.antenna = {0.5 * (sender.position_m + receiver.position_m),
                    0.5 * (sender.velocity_m_s + receiver.velocity_m_s)};
    const Vec3 &antenna_m = seen.antenna.position_m, flight = unit(seen.antenna.velocity_m_s);
    const Vec3 to_antenna_m = antenna_m - reference_m, towards = unit(to_antenna_m);
    const LocalFrame frame = local_frame(geographic(reference_m));
    seen.left = dot(cross(unit(antenna_m), flight), towards) < 0;
    seen.slant_range_m = norm(to_antenna_m);
    seen.ground_range_m = norm(reference_m) * std::acos(dot(unit(antenna_m), unit(reference_m)));
    seen.cone_deg = degrees(std::acos(-dot(towards, flight)));
    const Vec3 level_y = unit(cross(frame.up, towards)), level_x = cross(level_y, frame.up);
    seen.graze_deg = degrees(std::acos(dot(towards, level_x)));
    seen.azimuth_deg = from_north_deg(level_x, frame);
    const Vec3 slant_normal = (seen.left ? 1.0 : -1.0) * unit(cross(towards, flight));
    seen.twist_deg = -degrees(std::asin(dot(slant_normal, level_y)));
    seen.slope_deg = degrees(std::acos(dot(frame.up, slant_normal)));
    seen.layover_deg = from_north_deg(-1.0 * slant_normal, frame);
    return seen;
}

}  // namespace cornerturn::cphd
