// SPDX-License-Identifier: Apache-2.0
// Delay of an echo from the antenna where it sends, over a place fixed to the Earth, to the antenna where it
// receives (docs/theory.md), and the shape of the received pulse: nothing stops and goes. Simulator and
// back-projection rest on this and on nothing that the algorithms assume.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/math/host_device.h"
#include "kernels/math/phasor.h"
#include "kernels/math/speed_of_light.h"

namespace cornerturn {

/// A place in ECEF.
struct Place {
    double x_m = 0, y_m = 0, z_m = 0;
};

/// The antenna from the moment when a pulse begins to leave until its last echo is in: start + velocity t + curve t^2,
/// t since that moment. A satellite leaves it by r w^3 t^3 / 6 or so: 1e-9 m within 10 ms.
struct PulsePath {
    Place start;
    Place velocity_s;
    Place curve_s2;
    /// Velocity of the even flight whose zero Doppler rows of the image are, less the antenna's own; 0 where the
    /// antenna flew evenly.
    Place evener_s = {};
    double opens_s = 0;  ///< by how much later than the timing says the samples of its line begin

    CT_HOST_DEVICE Place at(double time_s) const {
        return {start.x_m + time_s * (velocity_s.x_m + time_s * curve_s2.x_m),
                start.y_m + time_s * (velocity_s.y_m + time_s * curve_s2.y_m),
                start.z_m + time_s * (velocity_s.z_m + time_s * curve_s2.z_m)};
    }
    /// Change of the distance to a place with time.
    CT_HOST_DEVICE double receding_m_s(double time_s, const Place& to) const {
        const Place here = at(time_s);
        const double x = here.x_m - to.x_m, y = here.y_m - to.y_m, z = here.z_m - to.z_m;
        const double along = x * (velocity_s.x_m + 2 * time_s * curve_s2.x_m) +
                             y * (velocity_s.y_m + 2 * time_s * curve_s2.y_m) +
                             z * (velocity_s.z_m + 2 * time_s * curve_s2.z_m);
        return along / std::sqrt(x * x + y * y + z * z);
    }
};

CT_HOST_DEVICE double distance_m(const Place& a, const Place& b) {
    const double x = a.x_m - b.x_m, y = a.y_m - b.y_m, z = a.z_m - b.z_m;
    return std::sqrt(x * x + y * y + z * z);
}

/// tau of what leaves at a time: c tau = |P(t) - X| + |P(t + tau) - X|. A round divides the error by c / v: 5e-6 of the
/// delay become 1e-25.
CT_HOST_DEVICE double sent_delay_s(const PulsePath& path, double time_s, const Place& place) {
    const double there_m = distance_m(path.at(time_s), place);
    double delay_s = 2 * there_m / c_m_s;
    for (int round = 0; round < 4; ++round) delay_s = (there_m + distance_m(path.at(time_s + delay_s), place)) / c_m_s;
    return delay_s;
}

/// Doppler frequency -f0 tau' of what leaves at a time, tau' by the time of reception: the derivative of c tau = |P(t -
/// tau) - X| + |P(t) - X|.
CT_HOST_DEVICE double doppler_hz(const PulsePath& path, double time_s, const Place& place, double carrier_hz) {
    const double sent_m_s = path.receding_m_s(time_s, place);
    const double received_m_s = path.receding_m_s(time_s + sent_delay_s(path, time_s, place), place);
    return -carrier_hz * (sent_m_s + received_m_s) / (c_m_s + sent_m_s);
}

/// What is known of an echo's lines: carrier, pulse exp(j pi K (u - T/2)^2) over 0 <= u < T, and when the samples are
/// taken.
struct PulseTiming {
    double carrier_hz = 0;
    double chirp_slope_hz_s = 0;
    double chirp_duration_s = 0;
    double first_sample_s = 0;  ///< from transmission to sample 0
    double sample_rate_hz = 0;
};

/// Half-open range of line or sample numbers; may reach beyond the echo.
struct IndexRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// The part of a range that an echo of `count` lines or samples holds.
CT_HOST_DEVICE IndexRange recorded(IndexRange range, std::int64_t count) {
    const std::int64_t first = range.first > 0 ? range.first : 0;
    const std::int64_t last = range.last < count ? range.last : count;
    return {first, last > first ? last : first};
}

/// One pulse's echo from a place of amplitude 1: which samples hold it, and its phase there,
/// cycles + d (cycles_per_sample + d cycles_per_sample2) with d = k - middle.
struct PulseEcho {
    IndexRange samples;
    double edge = 0;  ///< leading edge, in samples
    double middle = 0;
    double cycles = 0;
    double cycles_per_sample = 0;
    double cycles_per_sample2 = 0;

    CT_HOST_DEVICE Complex<double> at(std::int64_t sample) const {
        const double d = static_cast<double>(sample) - middle;
        return unit_phasor<double>(cycles + d * (cycles_per_sample + d * cycles_per_sample2));
    }
};

/// A leading edge this close behind a sample counts as on it: rounding must not take the first sample of a chirp away.
constexpr double edge_tolerance_samples = 1e-6;

/// The phase K/2 (u - T/2)^2 - f0 tau of what left u after the pulse began is known exactly at its beginning, middle
/// and end; tau is smooth (its second derivative moves the phase by 1e-6 cycles within a pulse), so that the parabola
/// through the three is the phase everywhere.
CT_HOST_DEVICE PulseEcho pulse_echo(const PulseTiming& timing, const PulsePath& path, const Place& place) {
    const double half_s = 0.5 * timing.chirp_duration_s;
    const double first_s = sent_delay_s(path, 0, place), middle_s = sent_delay_s(path, half_s, place),
                 last_s = sent_delay_s(path, 2 * half_s, place);
    PulseEcho echo;
    echo.edge = (first_s - timing.first_sample_s) * timing.sample_rate_hz;
    const double end =
        (first_s - timing.first_sample_s + (last_s - first_s) + timing.chirp_duration_s) * timing.sample_rate_hz;
    echo.samples = {static_cast<std::int64_t>(std::ceil(echo.edge - edge_tolerance_samples)),
                    static_cast<std::int64_t>(std::ceil(end - edge_tolerance_samples))};
    echo.middle = (middle_s - timing.first_sample_s + half_s) * timing.sample_rate_hz;
    echo.cycles = -timing.carrier_hz * middle_s;
    const double chirp_cycles = 0.5 * timing.chirp_slope_hz_s * half_s * half_s;
    const double before = ((first_s - middle_s) - half_s) * timing.sample_rate_hz,
                 behind = ((last_s - middle_s) + half_s) * timing.sample_rate_hz;
    const double slope_before = (chirp_cycles - timing.carrier_hz * (first_s - middle_s)) / before;
    const double slope_behind = (chirp_cycles - timing.carrier_hz * (last_s - middle_s)) / behind;
    echo.cycles_per_sample2 = (slope_behind - slope_before) / (behind - before);
    echo.cycles_per_sample = slope_before - before * echo.cycles_per_sample2;
    return echo;
}

}  // namespace cornerturn
