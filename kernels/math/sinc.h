// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

namespace cornerturn {

/// sin(pi x) / (pi x).
inline double sinc(double x) {
    const double angle = std::numbers::pi * x;
    return std::abs(angle) < 1e-12 ? 1 : std::sin(angle) / angle;
}

}  // namespace cornerturn
