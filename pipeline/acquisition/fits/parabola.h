// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace cornerturn {

/// Where the parabola through three values in steps of 1 is highest, as seen from the middle one; within half a step,
/// and 0 where it bends upwards.
inline double parabola_top(double before, double at, double behind) {
    const double bend = before - 2 * at + behind;
    return bend < 0 ? std::clamp(0.5 * (before - behind) / bend, -0.5, 0.5) : 0;
}

}  // namespace cornerturn
