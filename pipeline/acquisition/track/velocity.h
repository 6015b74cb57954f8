// SPDX-License-Identifier: Apache-2.0
// The effective velocity of the range hyperbola R(eta)^2 = R0^2 + V^2 (eta - eta0)^2: from the orbit, the file or the
// command line.
#pragma once

#include <optional>
#include <string>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/parameter_source.h"
#include "pipeline/acquisition/track/velocity_profile.h"

namespace cornerturn {

/// The steepest squint that is processed: |lambda f / 2V| must stay below sin 30 deg over the whole band. Beyond, no
/// range-Doppler processor holds.
inline constexpr double largest_squint_sine = 0.5;

/// Effective velocity of a ground target at closest range `range_m`, fitted to the orbit over the lines that see it:
/// `aperture_s` about `beam_time_s`, when the target has the Doppler frequency `doppler_centroid_hz`. With squint these
/// lie off its zero-Doppler time by beam_time_offset_s (kernels/math/hyperbola.h). The fit is R^2 - R0^2 against (eta -
/// eta0)^2 through the origin, so that R0 and eta0 stay the true ones. Throws InputError where orbit and lines do not
/// belong together.
double effective_velocity(const Acquisition& acquisition, double range_m, double doppler_centroid_hz, double aperture_s,
                          double beam_time_s);

/// From the orbit at mid-scene for all closest ranges that the swath holds, over the aperture that the beam (or the
/// PRF) gives: 16 fits and the polynomial through them. Outside the swath it keeps its value at the edge.
VelocityProfile orbit_velocity(const Acquisition& acquisition, double doppler_centroid_hz);

/// Throws InputError where that squint, at this speed, does not reach the Doppler frequency.
void require_reachable_doppler(double frequency_hz, double velocity_m_s, double wavelength_m);

/// The widest band about a Doppler centroid that stays within the largest squint over the whole swath, at most the
/// rate of rows; not above 0 where the centroid itself does not.
double widest_azimuth_band_hz(const Acquisition& acquisition, double doppler_centroid_hz,
                              const VelocityProfile& velocity_m_s, double rows_per_pulse = 1);

/// What the echo itself says of it: the velocity of the azimuth FM rate at the beam's centre, V^2 = lambda R Ka / 2 +
/// (lambda f_dc / 2)^2. That makes the image sharp in straight flight; for a curved orbit it is not quite the fit of a
/// hyperbola from zero Doppler on.
struct VelocityEstimate {
    double velocity_m_s = 0, error_m_s = 0;         ///< and its standard deviation
    double range_m = 0;                             ///< of closest approach
    std::optional<double> orbit_velocity_m_s = {};  ///< of the FM rate along the orbit, at the same place
};
/// Beyond these many deviations another velocity contradicts an estimate.
inline constexpr double velocity_contradiction = 3;

struct VelocityChoice {
    VelocityProfile profile;
    std::string source;  ///< "option", "orbit", "file", "data ..." with the estimate, or "file" with the reason why not
                         ///< the orbit in brackets
};

/// `option` (what the user gave) goes before the orbit, the orbit before the file's own effectiveVelocity, which
/// ParameterSource::orbit does not take. Throws InputError where there is none, where it is no velocity, or where the
/// Doppler centroid would be impossible with it.
VelocityChoice choose_velocity(const Acquisition& acquisition, double doppler_centroid_hz, std::optional<double> option,
                               ParameterSource from = ParameterSource::automatic);

}  // namespace cornerturn
