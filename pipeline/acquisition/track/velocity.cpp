// SPDX-License-Identifier: Apache-2.0
// Effective velocity by a fit of the range hyperbola to the orbit.
#include "pipeline/acquisition/track/velocity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track/state_vector_check.h"

namespace cornerturn {
namespace {

constexpr int aperture_points = 33;
constexpr int sampled_ranges = 16;

const Orbit& usable_orbit(const Acquisition& acquisition) {
    if (!acquisition.orbit || acquisition.orbit->time_s.size() < 2)
        throw InputError(
            fmt::format("orbit: {} state vectors where the effective velocity needs two or more; give --velocity M/S",
                        acquisition.orbit ? acquisition.orbit->time_s.size() : 0));
    require_consistent(*acquisition.orbit);
    return *acquisition.orbit;
}

/// Throws where a time lies too far outside the orbit; returns by how much it lies outside.
double check_covered(const Orbit& orbit, double time_s, const char* what) {
    const double outside = seconds_outside(orbit, time_s);
    if (!(outside <= longest_extrapolation_s))
        throw InputError(
            fmt::format("orbit: covers {:.3f} to {:.3f} s, {} at {:.3f} s lies {:.1f} s outside (at most {:.0f} s); "
                        "give --velocity M/S or an orbit that covers it",
                        orbit.time_s.front(), orbit.time_s.back(), what, time_s, outside, longest_extrapolation_s));
    return outside;
}

double largest_doppler_hz(double velocity_m_s, double wavelength_m) {
    return 2.0 * velocity_m_s / wavelength_m * largest_squint_sine;
}

double check_velocity(double velocity_m_s, const char* where, const char* way_out) {
    if (!(velocity_m_s > 0 && velocity_m_s < 1e6))
        throw InputError(fmt::format("{}: {} m/s is no effective velocity (above 0, below 1e6 m/s); {}", where,
                                     velocity_m_s, way_out));
    return velocity_m_s;
}

double mid_scene_time_s(const Acquisition& acquisition) {
    return acquisition.pulse_time_s(0.5 * static_cast<double>(acquisition.lines - 1));
}

/// Sum x y / sum x^2 with y = R^2 - R0^2, x = (eta - eta0)^2 over the aperture about `beam_time_s`.
double fitted_velocity(const Orbit& orbit, const Vec3& target, double range_m, double zero_doppler_time_s,
                       double beam_time_s, double aperture_s) {
    double xy = 0, xx = 0;
    for (int i = 0; i < aperture_points; ++i) {
        const double time_s = beam_time_s + aperture_s * (static_cast<double>(i) / (aperture_points - 1) - 0.5);
        const double x = (time_s - zero_doppler_time_s) * (time_s - zero_doppler_time_s);
        const double range_now = norm(interpolate(orbit, time_s).position_m - target);
        xy += x * (range_now - range_m) * (range_now + range_m);
        xx += x * x;
    }
    return std::sqrt(xy / xx);
}

}  // namespace

void require_reachable_doppler(double frequency_hz, double velocity_m_s, double wavelength_m) {
    const double limit_hz = largest_doppler_hz(velocity_m_s, wavelength_m);
    if (!(std::abs(frequency_hz) < limit_hz))
        throw InputError(
            fmt::format("Doppler centroid: {} Hz is out of reach at {:.2f} m/s and a wavelength of {:.4g} m, the limit "
                        "({:.0f} deg squint) is +-{:.4g} Hz; check --doppler-centroid and --velocity",
                        frequency_hz, velocity_m_s, wavelength_m, std::asin(largest_squint_sine) / degree, limit_hz));
}

double effective_velocity(const Acquisition& acquisition, double range_m, double doppler_centroid_hz, double aperture_s,
                          double beam_time_s) {
    const Orbit& orbit = usable_orbit(acquisition);
    check_covered(orbit, acquisition.pulse_time_s(0), "the first line");
    check_covered(orbit, acquisition.last_pulse_time_s(), "the last line");
    double velocity = check_velocity(norm(interpolate(orbit, beam_time_s).velocity_m_s), "orbit",
                                     "check the state vectors or give --velocity M/S");
    // The offset to zero Doppler depends on V and V, slightly, on the offset: settles to 1e-12 in three rounds.
    for (int round = 0; round < 4; ++round) {
        require_reachable_doppler(doppler_centroid_hz, velocity, acquisition.wavelength_m());
        const double zero_doppler_time_s =
            beam_time_s - beam_time_offset_s(range_m, doppler_centroid_hz, velocity, acquisition.wavelength_m());
        check_covered(orbit, zero_doppler_time_s, "the zero-Doppler time of mid-scene");
        const GroundPoint target = zero_doppler_ground_point(interpolate(orbit, zero_doppler_time_s), range_m,
                                                             acquisition.identification.look_side);
        velocity = check_velocity(
            fitted_velocity(orbit, target.position_m, range_m, zero_doppler_time_s, beam_time_s, aperture_s), "orbit",
            "the range hyperbola cannot be fitted to it, give --velocity M/S");
    }
    return velocity;
}

VelocityProfile orbit_velocity(const Acquisition& acquisition, double doppler_centroid_hz) {
    const Orbit& orbit = usable_orbit(acquisition);
    const double beam_time_s = mid_scene_time_s(acquisition);
    check_covered(orbit, beam_time_s, "mid-scene");
    const double speed = check_velocity(norm(interpolate(orbit, beam_time_s).velocity_m_s), "orbit",
                                        "check the state vectors or give --velocity M/S");
    require_reachable_doppler(doppler_centroid_hz, speed, acquisition.wavelength_m());
    const double factor = migration_factor(doppler_centroid_hz, speed, acquisition.wavelength_m());
    const double widest_hz = widest_azimuth_band_hz(acquisition, doppler_centroid_hz, VelocityProfile(speed));
    const double bandwidth_hz = std::min(acquisition.azimuth_bandwidth_hz.value_or(widest_hz), widest_hz);
    const double recorded_s = static_cast<double>(acquisition.lines) / acquisition.prf_hz;
    const auto fit = [&](double range_m) {
        const double aperture_s =
            bandwidth_hz / azimuth_fm_rate_hz_s(range_m, factor, speed, acquisition.wavelength_m());
        // No further than there are lines, but not down to a length in which the hyperbola drowns in rounding.
        return effective_velocity(acquisition, range_m, doppler_centroid_hz,
                                  std::clamp(recorded_s, 0.1 * aperture_s, aperture_s), beam_time_s);
    };
    // Closest ranges: an echo that arrives from R at the Doppler centroid belongs to R0 = R D.
    return VelocityProfile(factor * acquisition.range_m(0),
                           acquisition.range_m(static_cast<double>(acquisition.samples)), sampled_ranges, fit);
}

double widest_azimuth_band_hz(const Acquisition& acquisition, double doppler_centroid_hz,
                              const VelocityProfile& velocity_m_s, double rows_per_pulse) {
    const double first_m =
        acquisition.range_m(0) * std::sqrt(1 - largest_squint_sine * largest_squint_sine);  // the nearest closest range
    const double last_m = acquisition.far_range_m();
    double slowest_m_s = velocity_m_s(last_m);
    for (int i = 0; i < sampled_ranges; ++i)
        slowest_m_s = std::min(slowest_m_s, velocity_m_s(first_m + (last_m - first_m) * i / sampled_ranges));
    const double limit_hz = largest_doppler_hz(slowest_m_s, acquisition.wavelength_m());
    return std::min(rows_per_pulse * acquisition.prf_hz, 2 * (limit_hz - std::abs(doppler_centroid_hz)));
}

VelocityChoice choose_velocity(const Acquisition& acquisition, double doppler_centroid_hz, std::optional<double> option,
                               ParameterSource from) {
    const auto everywhere = [&](double velocity_m_s, std::string source) {
        require_reachable_doppler(doppler_centroid_hz, velocity_m_s, acquisition.wavelength_m());
        return VelocityChoice{VelocityProfile(velocity_m_s), std::move(source)};
    };
    if (option) return everywhere(check_velocity(*option, "--velocity", "give another"), "option");
    const auto from_file = [&](std::string source) {
        return everywhere(
            check_velocity(*acquisition.effective_velocity_m_s, "effectiveVelocity of the file", "give --velocity M/S"),
            std::move(source));
    };
    if (acquisition.orbit) {
        try {
            return {orbit_velocity(acquisition, doppler_centroid_hz), "orbit"};
        } catch (const InputError& reason) {
            if (!acquisition.effective_velocity_m_s || from == ParameterSource::orbit) throw;
            return from_file(fmt::format("file (not the orbit: {})", reason.what()));
        }
    }
    if (from == ParameterSource::orbit)
        throw InputError("--velocity orbit: the file has no orbit; give M/S, auto or data");
    if (acquisition.effective_velocity_m_s) return from_file("file");
    throw InputError(
        "effective velocity: the file has neither an orbit nor effectiveVelocity; give --velocity M/S, or positions by "
        "--track FILE or --orbit FILE.EOF");
}

}  // namespace cornerturn
