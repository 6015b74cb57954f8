// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/track_offset.h"

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track/reference_track.h"

namespace cornerturn {

double squint_sine(double doppler_hz, double wavelength_m, double speed_m_s) {
    constexpr double most = 0.999;
    return std::clamp(0.5 * wavelength_m * doppler_hz / speed_m_s, -most, most);
}

TrackOffset::TrackOffset(const Acquisition& flown, Orbit reference, SceneHeight height_m, DopplerSurface centroid_hz)
    : flown_(flown),
      reference_(std::move(reference)),
      height_m_(std::move(height_m)),
      centroid_hz_(std::move(centroid_hz)),
      side_(flown.identification.look_side),
      wavelength_m_(flown.wavelength_m()),
      middle_range_m_(flown.range_m(0.5 * static_cast<double>(flown.samples - 1))),
      halfway_s_(middle_range_m_ / speed_of_light_m_s + 0.5 * flown.chirp.duration_s),
      beside_(flown) {
    beside_.pulse_times_s.clear();
    for (std::int64_t pulse = 0; pulse < flown.lines; ++pulse) {
        flown_times_s_.push_back(flown.pulse_time_s(static_cast<double>(pulse)));
        beside_.pulse_times_s.push_back(beside_s(flown_times_s_.back()));
    }
    beside_.first_pulse_time_s = beside_.pulse_times_s.front();
    beside_.orbit = reference_;
    if (beside_.azimuth_bandwidth_hz) *beside_.azimuth_bandwidth_hz *= largest_stretch();
    beside_.truth = on_rows_of(reference_, flown);
}

/// The same angle is as much more of Doppler as the reference is faster.
double TrackOffset::largest_stretch() const {
    double largest = 1;
    for (std::size_t i = 0; i < flown_times_s_.size(); ++i)
        largest = std::max(largest, norm(interpolate(reference_, beside_.pulse_times_s[i]).velocity_m_s) /
                                        norm(interpolate(*flown_.orbit, flown_times_s_[i]).velocity_m_s));
    return largest;
}

TrackOffset::Antennas TrackOffset::at(double time_s, double flown_time_s) const {
    Antennas there;
    there.offset_ = this;
    there.time_s_ = time_s;
    there.reference_ = interpolate(reference_, time_s + halfway_s_);
    there.speed_m_s_ = norm(there.reference_.velocity_m_s);
    there.flown_m_ = interpolate(*flown_.orbit, flown_time_s + halfway_s_).position_m;
    return there;
}

/// Newton's method on d (a cos(squint) - n sin(squint)) = 0: the offset d, and the direction in which that to the
/// target changes with Doppler frequency, of unit vectors a along the flight and n across it to the target.
double TrackOffset::beside_s(double flown_time_s) const {
    constexpr int most_rounds = 20;
    constexpr double close_s = 1e-12;
    double time_s = flown_time_s;
    for (int round = 0; round < most_rounds; ++round) {
        const Antennas there = at(time_s, flown_time_s);
        const Vec3& antenna_m = there.reference_.position_m;
        const double speed_m_s = there.speed_m_s_;
        const Vec3 along = 1 / speed_m_s * there.reference_.velocity_m_s;
        const double sine = squint_sine(centroid_hz_(time_s, middle_range_m_), wavelength_m_, speed_m_s),
                     cosine = std::sqrt(1 - sine * sine), zero_doppler_range_m = cosine * middle_range_m_;
        const GroundPoint target = zero_doppler_ground_point(there.reference_, zero_doppler_range_m, side_,
                                                             height_m_(time_s, zero_doppler_range_m));
        const Vec3 across = unit(target.position_m - antenna_m);
        const double step_s = dot(there.flown_m_ - antenna_m, cosine * along - sine * across) / (cosine * speed_m_s);
        time_s += step_s;
        if (std::abs(step_s) < close_s) break;
    }
    return time_s;
}

double TrackOffset::Antennas::farther_m(double range_m, double doppler_hz) const {
    const double sine = squint_sine(doppler_hz, offset_->wavelength_m_, speed_m_s_),
                 zero_doppler_range_m = std::sqrt(1 - sine * sine) * range_m;
    const Vec3 abeam_m = reference_.position_m + (range_m * sine / speed_m_s_) * reference_.velocity_m_s;
    const GroundPoint target =
        ground_point(abeam_m, reference_.velocity_m_s, zero_doppler_range_m, offset_->side_,
                     offset_->height_m_(time_s_ + range_m * sine / speed_m_s_, zero_doppler_range_m));
    // Without a small difference of large numbers.
    const Vec3 look_m = target.position_m - reference_.position_m, off_m = flown_m_ - reference_.position_m;
    return (dot(off_m, off_m) - 2 * dot(off_m, look_m)) / (norm(look_m - off_m) + norm(look_m));
}

TrackOffset::Antennas TrackOffset::at_pulse(std::int64_t pulse) const {
    const auto i = static_cast<std::size_t>(pulse);
    return at(beside_.pulse_times_s[i], flown_times_s_[i]);
}

/// Straight between pulses, and on at the same distance in time beyond them.
double TrackOffset::flown_time_at(double time_s) const {
    const double line = beside_.line_at(time_s);
    return time_of_line_s(flown_times_s_.front(), beside_.prf_hz, flown_times_s_, line);
}

TrackOffset::Antennas TrackOffset::at_time(double time_s) const { return at(time_s, flown_time_at(time_s)); }

PulsePath TrackOffset::flown_path(double time_s) const {
    PulsePath path = pulse_path_along(*flown_.orbit, flown_time_at(time_s));
    const Vec3 even_m_s = interpolate(reference_, time_s).velocity_m_s;
    const Place& own_m_s = path.velocity_s;
    path.evener_s = {even_m_s[0] - own_m_s.x_m, even_m_s[1] - own_m_s.y_m, even_m_s[2] - own_m_s.z_m};
    return path;
}

double TrackOffset::along_rows_hz(std::int64_t pulse, double range_m, double doppler_hz) const {
    const auto i = static_cast<std::size_t>(pulse);
    const StateVector flown = interpolate(*flown_.orbit, flown_times_s_[i] + halfway_s_),
                      reference = interpolate(reference_, beside_.pulse_times_s[i] + halfway_s_);
    const double speed_m_s = norm(flown.velocity_m_s), sine = squint_sine(doppler_hz, wavelength_m_, speed_m_s),
                 zero_doppler_range_m = std::sqrt(1 - sine * sine) * range_m;
    const Vec3 abeam_m = flown.position_m + (range_m * sine / speed_m_s) * flown.velocity_m_s;
    const Vec3 target_m = ground_point(abeam_m, flown.velocity_m_s, zero_doppler_range_m, side_,
                                       height_m_(beside_.pulse_times_s[i], zero_doppler_range_m))
                              .position_m;
    return 2 / wavelength_m_ * dot(reference.velocity_m_s, unit(target_m - reference.position_m));
}

double TrackOffset::lowest_range_m() const {
    const double first_s = beside_.pulse_times_s.front(), last_s = beside_.pulse_times_s.back();
    double highest_m = 0;
    for (const double time_s : {first_s, 0.5 * (first_s + last_s), last_s}) {
        const Vec3 antenna_m = interpolate(reference_, time_s).position_m;
        if (const auto ground_m = ellipsoid_intersection(antenna_m, -1.0 * ellipsoid_normal(antenna_m)))
            highest_m = std::max(highest_m, norm(*ground_m - antenna_m) - height_m_(time_s, middle_range_m_));
    }
    return highest_m;
}

double TrackOffset::largest_distance_m() const {
    double largest_m = 0;
    for (std::size_t i = 0; i < flown_times_s_.size(); ++i) {
        const Antennas there = at(beside_.pulse_times_s[i], flown_times_s_[i]);
        largest_m = std::max(largest_m, norm(there.flown_m_ - there.reference_.position_m));
    }
    return largest_m;
}

}  // namespace cornerturn
