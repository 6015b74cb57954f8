// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numbers>

namespace cornerturn {

/// One degree in radians: angle_deg * degree, angle_rad / degree.
inline constexpr double degree = std::numbers::pi / 180;

}  // namespace cornerturn
