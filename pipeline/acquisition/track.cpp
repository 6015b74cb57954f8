// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track.h"

#include <cmath>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

Place place_of(const Vec3& at_m) { return {at_m[0], at_m[1], at_m[2]}; }

}  // namespace

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

/// Half the acceleration from velocities a second apart: within the milliseconds of an echo nothing of a satellite's path is left out.
PulsePath OrbitTrack::pulse_path(double time_s) const {
    constexpr double half_s = 0.5;
    const StateVector now = interpolate(*orbit_, time_s);
    const Vec3 change_m_s = interpolate(*orbit_, time_s + half_s).velocity_m_s - interpolate(*orbit_, time_s - half_s).velocity_m_s;
    return {place_of(now.position_m), place_of(now.velocity_m_s), place_of(1 / (4 * half_s) * change_m_s)};
}

Place OrbitTrack::place(double zero_doppler_time_s, double range_m, double higher_m) const {
    return place_of(zero_doppler_ground_point(interpolate(*orbit_, zero_doppler_time_s), range_m, side_,
                                              height_m_(zero_doppler_time_s, range_m) + higher_m)
                        .position_m);
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

PulsePath StraightTrack::pulse_path(double time_s) const {
    const double velocity_m_s = velocity_m_s_(0);
    return {{velocity_m_s * time_s, 0, 0}, {velocity_m_s, 0, 0}, {}};
}

Place StraightTrack::place(double zero_doppler_time_s, double range_m, double) const {
    return {velocity_m_s_(range_m) * zero_doppler_time_s, range_m, 0};
}

DelayHistory DelayedTrack::delay_history(double zero_doppler_time_s, double range_m) const {
    const double late_s = 2 * added_m_(zero_doppler_time_s, range_m) / speed_of_light_m_s;
    return [late_s, delay_s = track_->delay_history(zero_doppler_time_s, range_m)](double time_s) { return delay_s(time_s) + late_s; };
}

double dry_troposphere_m(double height_m, double incidence_rad) {
    constexpr double at_zenith_m = 2.3, falls_within_m = 6000;
    return at_zenith_m * std::exp(-height_m / falls_within_m) / std::cos(incidence_rad);
}

AddedRange troposphere_along(const Orbit& orbit, LookSide side, const SceneHeight& height_m) {
    return [shared = std::make_shared<const Orbit>(orbit), side, height_m](double time_s, double range_m) {
        const StateVector antenna = interpolate(*shared, time_s);
        const double ground_m = height_m(time_s, range_m);
        const Vec3 target = zero_doppler_ground_point(antenna, range_m, side, ground_m).position_m;
        return dry_troposphere_m(ground_m, incidence_angle_rad(antenna.position_m, target));
    };
}

}  // namespace cornerturn
