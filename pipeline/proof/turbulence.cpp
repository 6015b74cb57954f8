// SPDX-License-Identifier: Apache-2.0
// Dryden's gusts and what they move an aircraft by, as a sum of waves.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "pipeline/proof/aircraft.h"
#include "pipeline/proof/counted_random.h"

namespace cornerturn {
namespace {

constexpr double foot_m = 0.3048;
constexpr double follows_s = 1;  // time in which the aircraft takes the velocity of the air about it
constexpr double damping = 0.7;  // of the loop that holds the track
constexpr int wave_count = 48;   // of a band of 12 octaves
constexpr double slowest_hz = 0.001, fastest_hz = 4;  // the power of displacements beyond falls off as f^-6

/// Scales and root mean squares of gusts.
struct Gusts {
    double along_scale_m, vertical_scale_m;  // those across have the one along
    double level_m_s, vertical_m_s;
};

/// MIL-F-8785C, 3.7.3 to 3.7.5, the way between 1000 and 2000 ft linear.
Gusts gusts_at(double above_ground_m, double vertical_m_s) {
    const double height_ft = std::clamp(above_ground_m / foot_m, 10.0, 2000.0);
    if (height_ft > 1000) {
        const double scale_m = foot_m * std::lerp(1000.0, 1750.0, (height_ft - 1000) / 1000);
        return {scale_m, scale_m, vertical_m_s, vertical_m_s};
    }
    const double ground = 0.177 + 0.000823 * height_ft;
    return {foot_m * height_ft / std::pow(ground, 1.2), foot_m * height_ft, vertical_m_s / std::pow(ground, 0.4),
            vertical_m_s};
}

/// Dryden's spectra over the frequency in Hz that an aircraft meets; their integrals are the squares of the root mean
/// squares.
double along_spectrum(double f_hz, double gust_m_s, double scale_m, double speed_m_s) {
    const double x = 2 * std::numbers::pi * f_hz * scale_m / speed_m_s;
    return 4 * gust_m_s * gust_m_s * scale_m / speed_m_s / (1 + x * x);
}
double across_spectrum(double f_hz, double gust_m_s, double scale_m, double speed_m_s) {
    const double x = 2 * std::numbers::pi * f_hz * scale_m / speed_m_s;
    return 2 * gust_m_s * gust_m_s * scale_m / speed_m_s * (1 + 3 * x * x) / ((1 + x * x) * (1 + x * x));
}

/// Displacement by a gust: the air takes the aircraft along, the autopilot holds it as a damped spring does,
///   x'' = (gust - x') / follows_s - 2 damping w x' - w^2 x.
double response_s(double f_hz, double autopilot_hz) {
    const double w = 2 * std::numbers::pi * autopilot_hz;
    const std::complex<double> s(0, 2 * std::numbers::pi * f_hz);
    return std::abs((1 / follows_s) / (s * s + (1 / follows_s + 2 * damping * w) * s + w * w));
}

}  // namespace

std::optional<double> named_gust_m_s(std::string_view word) {
    if (word == "light") return light_gust_m_s;
    if (word == "moderate") return moderate_gust_m_s;
    if (word == "severe") return severe_gust_m_s;
    return std::nullopt;
}

std::vector<Wave> waves_of(const Turbulence& turbulence, double speed_m_s, double above_ground_m) {
    if (turbulence.gust_m_s == 0) return {};
    const Gusts gusts = gusts_at(above_ground_m, turbulence.gust_m_s);
    const double octaves = std::log2(fastest_hz / slowest_hz) / wave_count;
    std::uint64_t count = mix(mix(turbulence.seed) ^ purpose("gust"));
    std::vector<Wave> sum;
    for (int i = 0; i < wave_count; ++i) {
        const double low_hz = slowest_hz * std::exp2(octaves * i), width_hz = low_hz * (std::exp2(octaves) - 1);
        const double f_hz = low_hz + unit(mix(count++)) * width_hz;  // no two are multiples: nothing repeats
        const double response = response_s(f_hz, turbulence.autopilot_hz);
        const double spectra[] = {along_spectrum(f_hz, gusts.level_m_s, gusts.along_scale_m, speed_m_s),
                                  across_spectrum(f_hz, gusts.level_m_s, gusts.along_scale_m, speed_m_s),
                                  across_spectrum(f_hz, gusts.vertical_m_s, gusts.vertical_scale_m, speed_m_s)};
        Wave wave{.rate_rad_s = 2 * std::numbers::pi * f_hz};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double amplitude_m = response * std::sqrt(2 * spectra[axis] * width_hz);
            const double phase = 2 * std::numbers::pi * unit(mix(count++));
            wave.cosine_m[axis] = amplitude_m * std::sin(phase);
            wave.sine_m[axis] = amplitude_m * std::cos(phase);
        }
        sum.push_back(wave);
    }
    return sum;
}

}  // namespace cornerturn
