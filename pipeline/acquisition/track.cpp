// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track.h"

#include <cmath>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {

/// By fixed point: each round gains five digits, the antenna being slower than light by that much.
DelayHistory OrbitTrack::delay_history(double zero_doppler_time_s, double range_m) const {
    const Vec3 target =
        zero_doppler_ground_point(interpolate(*orbit_, zero_doppler_time_s), range_m, side_, height_m_(zero_doppler_time_s, range_m))
            .position_m;
    return [target, zero_doppler_time_s, orbit = orbit_](double time_s) {
        const double sent_s = zero_doppler_time_s + time_s, out_m = norm(interpolate(*orbit, sent_s).position_m - target);
        double delay_s = 2 * out_m / speed_of_light_m_s;
        for (int round = 0; round < 4; ++round)
            delay_s = (out_m + norm(interpolate(*orbit, sent_s + delay_s).position_m - target)) / speed_of_light_m_s;
        return delay_s;
    };
}

double OrbitTrack::speed_m_s(double time_s, double) const { return norm(interpolate(*orbit_, time_s).velocity_m_s); }

/// With y half the delay, y^2 = R0^2 / (c^2 - V^2) + (V / c)^2 (t + y)^2.
DelayHistory StraightTrack::delay_history(double, double range_m) const {
    const double beta = velocity_m_s_(range_m) / speed_of_light_m_s, out_s = range_m / speed_of_light_m_s;
    return [=](double time_s) {
        const double along_s = beta * time_s;
        return 2 * (beta * along_s + std::sqrt(out_s * out_s + along_s * along_s)) / (1 - beta * beta);
    };
}

}  // namespace cornerturn
