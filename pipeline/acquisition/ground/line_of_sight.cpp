// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/ground/line_of_sight.h"

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn {
namespace {

double from_cosine_deg(double cosine) { return degrees(std::acos(std::clamp(cosine, -1.0, 1.0))); }

}  // namespace

LineOfSight line_of_sight(const StateVector& antenna, const Vec3& point_m) {
    LineOfSight seen;
    const Vec3 out = unit(antenna.position_m), forward = unit(antenna.velocity_m_s),
               to_antenna_m = antenna.position_m - point_m, towards = unit(to_antenna_m);
    const LocalFrame frame = local_frame(geographic(point_m));
    seen.left = dot(cross(out, forward), towards) < 0;
    seen.slant_range_m = norm(to_antenna_m);
    seen.ground_range_m = norm(point_m) * std::acos(std::min(1.0, dot(out, unit(point_m))));
    seen.cone_deg = from_cosine_deg(-dot(towards, forward));
    const Vec3 level_y = unit(cross(frame.up, towards)), level_x = cross(level_y, frame.up);
    seen.graze_deg = from_cosine_deg(dot(towards, level_x));
    seen.azimuth_deg = bearing_deg(level_x, frame);
    const Vec3 slant_normal = (seen.left ? 1.0 : -1.0) * unit(cross(towards, forward));
    seen.twist_deg = -degrees(std::asin(std::clamp(dot(slant_normal, level_y), -1.0, 1.0)));
    seen.slope_deg = from_cosine_deg(dot(frame.up, slant_normal));
    seen.layover_deg = bearing_deg(-1.0 * slant_normal, frame);
    return seen;
}

}  // namespace cornerturn
