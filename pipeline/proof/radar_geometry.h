// SPDX-License-Identifier: Apache-2.0
// Exact geometry of an antenna along a trajectory and its lines: delays, Doppler frequencies, the place of a pixel
// and back (docs/theory.md). Lines may be fractions and lie before the first or behind the last.
#pragma once

#include "kernels/math/two_way_delay.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/proof/trajectory.h"

namespace cornerturn {

/// Closest approach in Earth-fixed coordinates, (P(t0) - X) . V(t0) = 0.
struct ClosestApproach {
    double time_s = 0;  ///< zero-Doppler time
    double range_m = 0;
};

inline Place to_place(const Vec3& v) { return {v[0], v[1], v[2]}; }

/// Carrier, chirp and sample times of an acquisition.
PulseTiming pulse_timing(const Acquisition& acquisition);

class RadarGeometry {
public:
    /// `acquisition` for timing and look side; its orbit is not looked at.
    RadarGeometry(const Acquisition& acquisition, Trajectory track);

    const Trajectory& track() const { return track_; }
    const PulseTiming& timing() const { return timing_; }
    LookSide look_side() const { return look_side_; }
    double pulse_time_s(double line) const {
        return time_of_line_s(first_pulse_time_s_, prf_hz_, pulse_times_s_, line);
    }
    double line_at(double time_s) const { return line_at_time(first_pulse_time_s_, prf_hz_, pulse_times_s_, time_s); }

    PulsePath path(double line) const;
    /// Delay of the pulse's beginning.
    double delay_s(double line, const Vec3& place_m) const { return sent_delay_s(path(line), 0, to_place(place_m)); }
    /// -f0 tau' of the pulse's middle.
    double doppler_hz(double line, const Vec3& place_m) const {
        return cornerturn::doppler_hz(path(line), 0.5 * timing_.chirp_duration_s, to_place(place_m),
                                      timing_.carrier_hz);
    }
    /// The antenna halfway between transmission and reception of the pulse's middle.
    StateVector halfway(double line, const Vec3& place_m) const;

    /// Closest approaches, and bands of apertures, are those along the rows of another track from here on.
    void take_rows_of(Trajectory track) { other_rows_ = std::move(track); }
    /// Of a place at zero Doppler at a time, what a line adds along rows: 2 / lambda dR / dt0. As flown its Doppler
    /// frequency.
    double aperture_hz(double line, const Vec3& place_m, double zero_doppler_time_s) const;
    Vec3 zero_doppler_place(const ClosestApproach& approach, double height_m) const;
    ClosestApproach closest_approach(const Vec3& place_m, double near_time_s) const;

    /// The line at which falling doppler_hz - `of(line)` comes down to `offset_hz`, looked for from `from_line` on; far
    /// away (1e12 lines) where it never does.
    template <class Offset>
    static double crossing(const Offset& offset, double level_hz, double from_line, double step_lines);

private:
    const Trajectory& rows() const { return other_rows_ ? other_rows_ : track_; }

    Trajectory track_, other_rows_ = {};
    PulseTiming timing_;
    LookSide look_side_;
    double first_pulse_time_s_, prf_hz_;
    std::vector<double> pulse_times_s_;
    double reception_s_;  ///< from transmission to the end of the line
};

template <class Offset>
double RadarGeometry::crossing(const Offset& offset, double level_hz, double from_line, double step_lines) {
    double near = from_line, near_value = offset(near) - level_hz;
    const double direction = near_value > 0 ? 1.0 : -1.0;  // it falls with time
    double far = near, far_value = near_value;
    for (double step = step_lines; far_value * near_value > 0; step *= 2) {
        near = far, near_value = far_value;
        far += direction * step;
        far_value = offset(far) - level_hz;
        if (step > 1e7) return direction * 1e12;
    }
    for (int round = 0; round < 100 && std::abs(far - near) > 1e-9;
         ++round) {  // false position, the end that stays is halved (Illinois)
        const double next = far - far_value * (far - near) / (far_value - near_value);
        const double value = offset(next) - level_hz;
        if (value * far_value < 0)
            near = far, near_value = far_value;
        else
            near_value *= 0.5;
        const bool settled = std::abs(next - far) < 1e-9;
        far = next, far_value = value;
        if (settled || value == 0) break;
    }
    return far;
}

}  // namespace cornerturn
