// SPDX-License-Identifier: Apache-2.0
// The effective velocity of the range hyperbola R(eta)^2 = R0^2 + V^2 (eta - eta0)^2: from the orbit, the file or the command line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/acquisition.h"

namespace cornerturn {

/// The steepest squint that is processed: |lambda f / 2V| must stay below sin 60 deg.
inline constexpr double largest_squint_sine = 0.8660254037844386;

/// Effective velocity of a ground target at closest range `range_m`, fitted to the orbit over the lines that see it: `aperture_s` about
/// `beam_time_s`, when the target has the Doppler frequency `doppler_centroid_hz`. With squint these lie off its zero-Doppler time by
/// beam_time_offset_s (kernels/hyperbola.h). The fit is R^2 - R0^2 against (eta - eta0)^2 through the origin, so that R0 and eta0 stay the
/// true ones. Throws InputError where orbit and lines do not belong together.
double effective_velocity(const Acquisition& acquisition, double range_m, double doppler_centroid_hz, double aperture_s,
                          double beam_time_s);

/// The same for many ranges at mid-scene and the aperture that the beam (or the PRF) gives: 16 fits and a polynomial through them.
std::vector<double> effective_velocities(const Acquisition& acquisition, std::span<const double> ranges_m, double doppler_centroid_hz);

struct VelocityChoice {
    std::vector<double> m_s;  ///< one for each range asked for
    std::string source;       ///< "option", "orbit", "file", or one of these with a remark in brackets
};

/// `option` (what the user gave) goes before the orbit, the orbit before the file's own effectiveVelocity.
/// Throws InputError where there is none, where it is no velocity, or where the Doppler centroid would be impossible with it.
VelocityChoice choose_velocity(const Acquisition& acquisition, std::span<const double> ranges_m, double doppler_centroid_hz,
                               std::optional<double> option);

}  // namespace cornerturn
