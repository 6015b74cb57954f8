// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/same_track.h"

#include <algorithm>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {

TrackMatch match_of(const Orbit& first, const Orbit& second, double from_s, double to_s) {
    constexpr int most_rounds = 50, looks = 40;
    constexpr double close_s = 1e-12;
    const double middle_s = 0.5 * (from_s + to_s);
    const Vec3 place_m = interpolate(first, middle_s).position_m;
    double abreast_s = std::clamp(middle_s, second.time_s.front(), second.time_s.back());
    for (int round = 0; round < most_rounds; ++round) {
        const StateVector state = interpolate(second, abreast_s);
        const double step_s =
            dot(place_m - state.position_m, state.velocity_m_s) / dot(state.velocity_m_s, state.velocity_m_s);
        abreast_s = std::clamp(abreast_s + step_s, second.time_s.front(), second.time_s.back());
        if (std::abs(step_s) < close_s) break;
    }
    TrackMatch match{abreast_s - middle_s, 0};
    for (int look = 0; look <= looks; ++look) {
        const double time_s = from_s + (to_s - from_s) * look / looks;
        const Vec3 off_m =
            interpolate(first, time_s).position_m - interpolate(second, time_s + match.later_s).position_m;
        match.largest_distance_m = std::max(match.largest_distance_m, norm(off_m));
    }
    return match;
}

}  // namespace cornerturn
