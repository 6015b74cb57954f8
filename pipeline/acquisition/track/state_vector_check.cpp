// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/state_vector_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

struct Miss {
    double time_s = 0, off_m = 0, step_s = 1;
};

double longest_aperture_s(const Acquisition& acquisition, double speed_m_s) {
    const double rate_hz_s = azimuth_fm_rate_hz_s(acquisition.far_range_m(), 1, speed_m_s, acquisition.wavelength_m());
    const double beam_hz = std::min(acquisition.azimuth_bandwidth_hz.value_or(acquisition.prf_hz), acquisition.prf_hz);
    return std::min(beam_hz / rate_hz_s, acquisition.last_pulse_time_s() - acquisition.pulse_time_s(0));
}

/// How far a state vector lies off Hermite's polynomial through two neighbours on either side (at an end, those there
/// are): 1e-6 m for a satellite's every minute, and about twice the noise of positions. A velocity counts by where it
/// leads to over the step.
double off_its_neighbours_m(const Orbit& orbit, std::size_t i) {
    constexpr std::size_t reach = 4;  // interpolate() chooses the nearest of them
    Orbit others;
    for (std::size_t k = i - std::min(i, reach); k < std::min(orbit.time_s.size(), i + reach + 1); ++k)
        if (k != i) others.add(orbit.time_s[k], orbit.vector(k));
    const StateVector expected = interpolate(others, orbit.time_s[i]);
    const double step_s = 0.5 * (orbit.time_s[i + 1] - orbit.time_s[i - 1]);
    return std::max(norm(orbit.position_m[i] - expected.position_m),
                    0.25 * step_s * norm(orbit.velocity_m_s[i] - expected.velocity_m_s));
}

}  // namespace

bool is_followed(const Orbit& orbit, double time_s) {
    return std::isfinite(time_s) && seconds_outside(orbit, time_s) <= longest_extrapolation_s;
}

void require_consistent(const Orbit& orbit) {
    constexpr double largest_difference = 0.01;  // chord and mean velocity of a satellite: 3e-4 over a minute
    for (std::size_t i = 0; i + 1 < orbit.time_s.size(); ++i) {
        const Vec3 moved =
            1.0 / (orbit.time_s[i + 1] - orbit.time_s[i]) * (orbit.position_m[i + 1] - orbit.position_m[i]);
        const Vec3 said = 0.5 * (orbit.velocity_m_s[i] + orbit.velocity_m_s[i + 1]);
        if (!(norm(moved - said) <= largest_difference * norm(said)))
            throw InputError(
                fmt::format("orbit: positions move at {:.6g} m/s after {:.3f} s, velocities say {:.6g} m/s and {:.6g} "
                            "m/s is the difference (at most 1 %); check the state vectors or give --velocity M/S",
                            norm(moved), orbit.time_s[i], norm(said), norm(moved - said)));
    }
}

void require_orbit_of_burst(const Acquisition& acquisition) {
    const std::size_t vectors = acquisition.orbit ? acquisition.orbit->time_s.size() : 0;
    if (acquisition.burst && vectors < 2)
        throw InputError(
            fmt::format("orbit: {} state vectors, but it takes two or more to tell where the steered beam of a burst "
                        "({} {}) looks; give --orbit FILE.EOF",
                        vectors, acquisition.burst->swath, acquisition.burst->number));
}

std::optional<std::string> doubt_about_orbit(const Acquisition& acquisition) {
    constexpr std::size_t fewest = 5;  // of fewer, those that are left do not tell
    constexpr double beside_s = 15;    // targets are at zero Doppler up to about this time beside the pulses
    constexpr double harmless = 0.02;  // of the wavelength: a phase of 15 degrees at the ends of an aperture
    constexpr double slowest_satellite_m_s = 3000;
    if (!acquisition.orbit || acquisition.orbit->time_s.size() < fewest) return std::nullopt;
    const Orbit& orbit = *acquisition.orbit;
    const double speed_m_s = norm(orbit.velocity_m_s[orbit.velocity_m_s.size() / 2]);
    if (speed_m_s < slowest_satellite_m_s) return std::nullopt;
    const double from_s = acquisition.pulse_time_s(0) - beside_s, to_s = acquisition.last_pulse_time_s() + beside_s;
    Miss worst;
    for (std::size_t i = 1; i + 1 < orbit.time_s.size(); ++i)
        if (orbit.time_s[i + 1] >= from_s && orbit.time_s[i - 1] <= to_s)
            if (const double off_m = off_its_neighbours_m(orbit, i); off_m > worst.off_m)
                worst = {orbit.time_s[i], off_m, 0.5 * (orbit.time_s[i + 1] - orbit.time_s[i - 1])};
    const double limit_m = harmless * acquisition.wavelength_m(),
                 aperture_s = longest_aperture_s(acquisition, speed_m_s);
    // What is the same along an aperture, or grows evenly, moves a point by as much as the orbit is wrong, and no more.
    const double bend_m = worst.off_m * std::pow(std::min(1.0, aperture_s / worst.step_s), 2);
    if (!(bend_m > limit_m)) return std::nullopt;
    return fmt::format(
        "orbit: the state vector at {:.3f} s lies {:.3g} m off the curve through its neighbours, {:.3g} s apart; over "
        "an aperture of {:.2g} s the track may bend by {:.2g} m, where {:.2g} m (a fiftieth of the wavelength) do no "
        "harm: points may be out of focus and out of place; check positions and velocities, both Earth-fixed, in m "
        "and m/s",
        worst.time_s, worst.off_m, worst.step_s, aperture_s, bend_m, limit_m);
}

}  // namespace cornerturn
