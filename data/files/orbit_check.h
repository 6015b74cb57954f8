// SPDX-License-Identifier: Apache-2.0
// Whether state vectors of a file can be right.
#pragma once

#include <cmath>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {

/// Whether two state vectors are of one path: whether their velocities lead from one position to the other, as far as
/// those of a satellite do (within 10 m, of steps of a minute within 450 m).
inline bool on_one_path(const Orbit& orbit, std::size_t first, std::size_t second) {
    constexpr double least_m = 10, of_jerk_m_s3 = 2e-3;
    const double step_s = orbit.time_s[second] - orbit.time_s[first];
    const Vec3 led_m = 0.5 * step_s * (orbit.velocity_m_s[first] + orbit.velocity_m_s[second]);
    return norm(orbit.position_m[second] - orbit.position_m[first] - led_m) <
           least_m + of_jerk_m_s3 * std::fabs(step_s * step_s * step_s);
}

}  // namespace cornerturn
