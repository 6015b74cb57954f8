// SPDX-License-Identifier: Apache-2.0
#include "data/sicd/scene_centre.h"

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn::sicd {
namespace {

/// Clockwise from north, 0 to 360.
double bearing_deg(const Vec3& direction, const LocalFrame& frame) {
    const double angle = std::atan2(dot(direction, frame.east), dot(direction, frame.north)) / degree;
    return angle < 0 ? angle + 360 : angle;
}

double angle_deg(double cosine) { return std::acos(std::clamp(cosine, -1.0, 1.0)) / degree; }

}  // namespace

SceneCentre scene_centre(const Geometry& geometry) {
    SceneCentre centre;
    centre.time_s = geometry.centre_time_s[0][0];
    centre.position_m = geometry.track.position(centre.time_s);
    centre.velocity_m_s = geometry.track.velocity(centre.time_s);
    centre.acceleration_m_s2 = geometry.track.acceleration(centre.time_s);
    const Vec3 from_scene = centre.position_m - geometry.scp_m, sight = -1.0 * unit(from_scene),
               forward = unit(centre.velocity_m_s), out = unit(centre.position_m);
    centre.slant_range_m = norm(from_scene);
    centre.ground_range_m = norm(geometry.scp_m) * angle_deg(dot(out, unit(geometry.scp_m))) * degree;
    centre.left = dot(cross(out, forward), sight) > 0;
    centre.doppler_cone_deg = angle_deg(dot(forward, sight));

    const LocalFrame frame = local_frame(geometry.scp);
    const double above_m = dot(from_scene, frame.up);
    const Vec3 level = from_scene - above_m * frame.up, towards = unit(level);
    centre.grazing_deg = angle_deg(norm(level) / centre.slant_range_m);
    const Vec3 normal = unit((centre.left ? 1.0 : -1.0) * cross(forward, sight));  // of the slant plane
    const double upright = dot(frame.up, normal);
    centre.twist_deg = -std::asin(std::clamp(dot(cross(frame.up, towards), normal), -1.0, 1.0)) / degree;
    centre.slope_deg = angle_deg(upright);
    centre.azimuth_deg = bearing_deg(towards, frame);
    centre.layover_deg = bearing_deg(frame.up - (1 / upright) * normal, frame);
    return centre;
}

}  // namespace cornerturn::sicd
