// SPDX-License-Identifier: Apache-2.0
// A straight flight along z, for which the delay of docs/theory.md has a closed form, in long double.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "kernels/back_projection/chip.h"

namespace cornerturn {

/// Positive root of tau^2 / 4 = R0^2 / (c^2 - V^2) + V^2 m^2 / c^2 where m = t - tau / 2 lies halfway between
/// transmission and reception.
inline long double straight_delay_s(long double range_m, long double velocity_m_s, long double received_s) {
    const long double c = c_m_s, v2 = velocity_m_s * velocity_m_s / (c * c), t = received_s;
    // (1 - v2) tau^2 / 4 + v2 t tau - (R0^2 / (c^2 - V^2) + v2 t^2) = 0
    const long double half = 0.5L * v2 * t,
                      constant = range_m * range_m / (c * c - velocity_m_s * velocity_m_s) + v2 * t * t;
    const long double a = 0.25L * (1 - v2);
    return constant / (half + std::sqrt(half * half + a * constant));
}

struct StraightEcho {
    std::int64_t lines = 0, samples = 0;
    PulseTiming timing;
    double first_pulse_time_s = 0, prf_hz = 0, velocity_m_s = 0;

    double pulse_time_s(std::int64_t line) const { return first_pulse_time_s + static_cast<double>(line) / prf_hz; }
    Place place(double range_m, double zero_doppler_s) const { return {range_m, 0, velocity_m_s * zero_doppler_s}; }
    PulsePath path(std::int64_t line) const {
        return {{0, 0, velocity_m_s * pulse_time_s(line)}, {0, 0, velocity_m_s}, {}};
    }

    BackprojectionChip chip() const {
        BackprojectionChip chip{
            .lines = lines, .samples = samples, .timing = timing, .first_path = 0, .paths = {}, .pixels = {}};
        for (std::int64_t line = 0; line < lines; ++line) chip.paths.push_back(path(line));
        return chip;
    }

    /// Lines whose Doppler frequency lies in [low, high).
    IndexRange aperture(double range_m, double zero_doppler_s, double low_hz, double high_hz) const {
        IndexRange found{lines * 4, -lines * 3};
        for (std::int64_t line = -lines * 3; line < lines * 4; ++line) {
            const double doppler = doppler_hz(path(line), 0, place(range_m, zero_doppler_s), timing.carrier_hz);
            if (doppler >= low_hz && doppler < high_hz)
                found = {std::min(found.first, line), std::max(found.last, line + 1)};
        }
        return found.first < found.last ? found : IndexRange{};
    }

    /// The echo of amplitude 1; 0 outside the pulse.
    std::complex<double> model(std::int64_t line, std::int64_t sample, double range_m, double zero_doppler_s) const {
        const long double since_sent_s =
            static_cast<long double>(timing.first_sample_s) + sample / static_cast<long double>(timing.sample_rate_hz);
        const long double sent_s =
            static_cast<long double>(first_pulse_time_s) - zero_doppler_s + line / static_cast<long double>(prf_hz);
        const long double delay_s = straight_delay_s(range_m, velocity_m_s, sent_s + since_sent_s);
        const long double u = since_sent_s - delay_s;
        if (u < 0 || u >= timing.chirp_duration_s) return 0;
        const long double middle_s = u - 0.5L * timing.chirp_duration_s;
        const long double cycles = 0.5L * timing.chirp_slope_hz_s * middle_s * middle_s - timing.carrier_hz * delay_s;
        const long double angle = 2 * std::numbers::pi_v<long double> * (cycles - std::round(cycles));
        return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
    }

    std::complex<double> image_phase(double range_m) const {
        const long double cycles = -2 * static_cast<long double>(timing.carrier_hz) / c_m_s * range_m;
        const long double angle = 2 * std::numbers::pi_v<long double> * (cycles - std::round(cycles));
        return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
    }
};

}  // namespace cornerturn
