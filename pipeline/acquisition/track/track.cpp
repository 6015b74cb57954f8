// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/track.h"

#include <cmath>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {

/// Half the acceleration from velocities a second apart: within the milliseconds of an echo nothing of a satellite's
/// path is left out.
PulsePath pulse_path_along(const Orbit& orbit, double time_s) {
    constexpr double half_s = 0.5;
    const StateVector now = interpolate(orbit, time_s);
    const Vec3 change_m_s =
        interpolate(orbit, time_s + half_s).velocity_m_s - interpolate(orbit, time_s - half_s).velocity_m_s;
    return {place_of(now.position_m), place_of(now.velocity_m_s), place_of(1 / (4 * half_s) * change_m_s)};
}

namespace {

/// One step of Newton's from twice the way out, which is off by 1e-7 s or so: what is left is below 1e-20 s.
DelayHistory delay_of(const Vec3& target, double zero_doppler_time_s, const std::shared_ptr<const Orbit>& along) {
    return [target, zero_doppler_time_s, orbit = along](double time_s) {
        const double sent_s = zero_doppler_time_s + time_s,
                     out_m = norm(interpolate(*orbit, sent_s).position_m - target);
        const double about_s = 2 * out_m / speed_of_light_m_s;
        const StateVector received = interpolate(*orbit, sent_s + about_s);
        const Vec3 back = received.position_m - target;
        const double back_m = norm(back), receding_c = dot(back, received.velocity_m_s) / (back_m * speed_of_light_m_s);
        return about_s + ((out_m + back_m) / speed_of_light_m_s - about_s) / (1 - receding_c);
    };
}

}  // namespace

DelayHistory OrbitTrack::delay_history(double zero_doppler_time_s, double range_m) const {
    const Vec3 target = zero_doppler_ground_point(interpolate(*orbit_, zero_doppler_time_s), range_m, side_,
                                                  height_m_(zero_doppler_time_s, range_m))
                            .position_m;
    return delay_of(target, zero_doppler_time_s, orbit_);
}

DelayHistory CompensatedTrack::delay_history(double zero_doppler_time_s, double range_m) const {
    return delay_of(vector_of(place(zero_doppler_time_s, range_m)), zero_doppler_time_s, flown_);
}

PulsePath OrbitTrack::pulse_path(double time_s) const { return pulse_path_along(*orbit_, time_s); }

PlaceOfRange OrbitTrack::places(double zero_doppler_time_s) const {
    const StateVector antenna = interpolate(*orbit_, zero_doppler_time_s);
    return [plane = LookPlane(antenna.position_m, antenna.velocity_m_s, side_),
            height_m = height_m_.at(zero_doppler_time_s)](double range_m) {
        const GroundPoint point = plane.at(range_m, height_m(range_m));
        return SeenPlace{place_of(point.position_m), place_of(point.rise)};
    };
}

/// Newton's method on (P - X) V = 0, whose slope is V^2 + (P - X) A.
ClosestPass OrbitTrack::closest_pass(const Place& place, double near_s) const {
    constexpr int most_rounds = 20;
    constexpr double close_s = 1e-12;
    const Vec3 target = vector_of(place);
    double time_s = near_s;
    for (int round = 0; round < most_rounds; ++round) {
        const PulsePath path = pulse_path(time_s);
        const Vec3 from = vector_of(path.start) - target, velocity = vector_of(path.velocity_s),
                   half_bend = vector_of(path.curve_s2);
        const double step_s = dot(from, velocity) / (dot(velocity, velocity) + 2 * dot(from, half_bend));
        time_s -= step_s;
        if (std::abs(step_s) < close_s) break;
    }
    return {time_s, norm(interpolate(*orbit_, time_s).position_m - target)};
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

PlaceOfRange StraightTrack::places(double zero_doppler_time_s) const {
    return [this, zero_doppler_time_s](double range_m) {
        return SeenPlace{{velocity_m_s_(range_m) * zero_doppler_time_s, range_m, 0}, {}};
    };
}

ClosestPass StraightTrack::closest_pass(const Place& place, double) const {
    return {place.x_m / velocity_m_s_(0), std::hypot(place.y_m, place.z_m)};
}

DelayHistory DelayedTrack::delay_history(double zero_doppler_time_s, double range_m) const {
    const double late_s = 2 * added_m_(zero_doppler_time_s, range_m) / speed_of_light_m_s;
    return [late_s, delay_s = track_->delay_history(zero_doppler_time_s, range_m)](double time_s) {
        return delay_s(time_s) + late_s;
    };
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
