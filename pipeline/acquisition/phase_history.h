// SPDX-License-Identifier: Apache-2.0
// Pulses of a beam that was held on a scene, each described by itself: the antenna's positions and the opening of
// its receive window.
#pragma once

#include <vector>

#include "kernels/math/two_way_delay.h"
#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

/// Of lines that were compensated to a point of the scene, as CPHD has them: the antenna of each stands still, halfway
/// between where it was when it sent and when that point's echo came (NGA.STND.0068-1, simple phase model).
struct PhaseHistory {
    std::vector<Vec3> antenna_m;     ///< ECEF, of each line
    std::vector<Vec3> velocity_m_s;  ///< likewise; tells Doppler frequencies, moves nothing
    std::vector<double> opens_s;     ///< by how much later than near range says the samples of each line begin

    /// The antenna at the pulse amid the aperture.
    StateVector middle() const { return {antenna_m[antenna_m.size() / 2], velocity_m_s[antenna_m.size() / 2]}; }
    /// Of the even flight `evener_s` has all of the velocity.
    PulsePath path(std::int64_t line) const {
        const auto i = static_cast<std::size_t>(line);
        const Vec3 &at_m = antenna_m[i], &v_m_s = velocity_m_s[i];
        return {.start = {at_m[0], at_m[1], at_m[2]},
                .velocity_s = {},
                .curve_s2 = {},
                .evener_s = {v_m_s[0], v_m_s[1], v_m_s[2]},
                .opens_s = opens_s[i]};
    }
};

}  // namespace cornerturn
