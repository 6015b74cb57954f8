// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numbers>

namespace cornerturn {

/// One degree in radians: angle_deg * degree, angle_rad / degree.
inline constexpr double degree = std::numbers::pi / 180;

/// An angle in radians, in degrees.
inline constexpr double degrees(double angle_rad) { return angle_rad / degree; }

}  // namespace cornerturn
