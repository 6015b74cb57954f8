// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/zero_doppler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track/velocity.h"

namespace cornerturn {

double zero_doppler_rate(const Orbit& orbit, const Track& track, double time_s, double range_m) {
    constexpr double step_s = 1e-3;
    const Vec3 target = vector_of(track.place(time_s, range_m));
    const auto along_m2_s = [&](double t) {
        const StateVector antenna = interpolate(orbit, t);
        return dot(antenna.position_m - target, antenna.velocity_m_s);
    };
    const Vec3 velocity = interpolate(orbit, time_s).velocity_m_s;
    return (along_m2_s(time_s + step_s) - along_m2_s(time_s - step_s)) / (2 * step_s * dot(velocity, velocity));
}

void require_one_zero_doppler(const Acquisition& acquisition, const Track& track, double centroid_hz) {
    constexpr double looks_of_a_stretch = 4, fewest = 16, most = 20000;
    const Orbit& orbit = *acquisition.orbit;
    const double first_s = acquisition.pulse_time_s(0), span_s = acquisition.last_pulse_time_s() - first_s;
    const double stretches = span_s * static_cast<double>(orbit.time_s.size() - 1) /
                             std::max(orbit.time_s.back() - orbit.time_s.front(), 1e-9);
    const auto looks = static_cast<int>(std::clamp(std::ceil(looks_of_a_stretch * stretches), fewest, most));
    const double last_sample = static_cast<double>(acquisition.samples - 1);
    for (const double sample : {0.0, 0.5 * last_sample, last_sample}) {
        const double slant_m = acquisition.range_m(sample);
        const double speed_m_s = track.speed_m_s(first_s + 0.5 * span_s, slant_m);
        require_reachable_doppler(centroid_hz, speed_m_s, acquisition.wavelength_m());
        const double factor = migration_factor(centroid_hz, speed_m_s, acquisition.wavelength_m());
        const double range_m = slant_m * factor,
                     ahead_s = beam_time_offset_s(range_m, centroid_hz, speed_m_s, acquisition.wavelength_m());
        for (int look = 0; look <= looks; ++look) {
            const double time_s = first_s + span_s * look / looks - ahead_s,
                         rate = zero_doppler_rate(orbit, track, time_s, range_m);
            if (rate > 0 && std::isfinite(rate)) continue;
            throw InputError(fmt::format(
                "orbit: {:.3f} s after the first pulse the track turns so much that targets at {:.0f} m are at zero "
                "Doppler more than once (rows pass over them at {:.3g} times the speed of flight, must be above 0); "
                "give pulses of straighter flight, or --velocity to take it as straight; of a flight round the scene "
                "all pulses are summed by --grid local with --track FILE, positions in a local frame",
                time_s - first_s, range_m, rate));
        }
    }
}

}  // namespace cornerturn
