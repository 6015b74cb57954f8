// SPDX-License-Identifier: Apache-2.0
#include "pipeline/proof/radar_geometry.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/geodesy.h"

namespace cornerturn {
namespace {

constexpr double shortest_reception_s = 1e-5;  // of files that do not tell the length of their lines

}  // namespace

PulseTiming pulse_timing(const Acquisition& acquisition) {
    return {.carrier_hz = acquisition.carrier_hz,
            .chirp_slope_hz_s = acquisition.chirp.slope_hz_s,
            .chirp_duration_s = acquisition.chirp.duration_s,
            .first_sample_s = 2 * acquisition.near_range_m / speed_of_light_m_s,
            .sample_rate_hz = acquisition.sample_rate_hz()};
}

RadarGeometry::RadarGeometry(const Acquisition& acquisition, Trajectory track)
    : track_(std::move(track)),
      timing_(pulse_timing(acquisition)),
      look_side_(acquisition.identification.look_side),
      first_pulse_time_s_(acquisition.first_pulse_time_s),
      prf_hz_(acquisition.prf_hz),
      pulse_times_s_(acquisition.pulse_times_s),
      reception_s_(std::max(shortest_reception_s, timing_.first_sample_s + static_cast<double>(acquisition.samples) /
                                                                               timing_.sample_rate_hz)) {}

PulsePath RadarGeometry::path(double line) const {
    const double sent_s = pulse_time_s(line);
    const StateVector start = track_(sent_s), end = track_(sent_s + reception_s_);
    const Vec3 curve = 0.5 / reception_s_ * (end.velocity_m_s - start.velocity_m_s);
    return {to_place(start.position_m), to_place(start.velocity_m_s), to_place(curve)};
}

StateVector RadarGeometry::halfway(double line, const Vec3& place_m) const {
    return track_(pulse_time_s(line) + 0.5 * (timing_.chirp_duration_s + delay_s(line, place_m)));
}

double RadarGeometry::aperture_hz(double line, const Vec3& place_m, double zero_doppler_time_s) const {
    if (!other_rows_) return doppler_hz(line, place_m);
    const Vec3 look_m = place_m - halfway(line, place_m).position_m;
    return 2 / speed_of_light_m_s * timing_.carrier_hz / norm(look_m) *
           dot(look_m, rows()(zero_doppler_time_s).velocity_m_s);
}

Vec3 RadarGeometry::zero_doppler_place(const ClosestApproach& approach, double height_m) const {
    const StateVector state = rows()(approach.time_s);
    return place_at(state.position_m, state.velocity_m_s, approach.range_m, 0, height_m, look_side_);
}

ClosestApproach RadarGeometry::closest_approach(const Vec3& place_m, double near_time_s) const {
    double time_s = near_time_s;
    for (int round = 0; round < 20; ++round) {  // Newton
        const StateVector state = rows()(time_s);
        const Vec3 acceleration = rows()(time_s + 0.5).velocity_m_s - rows()(time_s - 0.5).velocity_m_s;
        const Vec3 from_place_m = state.position_m - place_m;
        const double step_s = -dot(from_place_m, state.velocity_m_s) /
                              (dot(state.velocity_m_s, state.velocity_m_s) + dot(from_place_m, acceleration));
        time_s += step_s;
        if (std::abs(step_s) < 1e-11) return {time_s, norm(rows()(time_s).position_m - place_m)};
    }
    // A track that sways turns that step around, or brings it to and fro: its Doppler frequency is bracketed.
    const auto passed = [&](double t) {
        const StateVector state = rows()(t);
        return dot(place_m - state.position_m, state.velocity_m_s);
    };
    const double nearest_s =
        near_time_s + crossing([&](double ms) { return passed(near_time_s + 1e-3 * ms); }, 0, 0, 1) * 1e-3;
    return {nearest_s, norm(rows()(nearest_s).position_m - place_m)};
}

}  // namespace cornerturn
