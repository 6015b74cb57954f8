// SPDX-License-Identifier: Apache-2.0
// Doppler centroid, its ambiguity and effective velocity estimated from the echo, beside the file's values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/acquisition/track/velocity.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/estimate/imager.h"
#include "pipeline/estimate/look_estimate.h"

namespace cornerturn {

/// The acquisition without what tells Doppler centroid, beam and velocity: attitude, values of the file's own, known
/// targets. The orbit stays.
Acquisition data_alone(Acquisition acquisition);

/// By looks of a part in the middle of the echo; where that is too small, of a larger one. `found` is of the whole
/// echo. Range histories are those of `velocity_m_s`, else of the orbit, else looked for.
std::optional<LookEstimate> look_at(EchoSource& echo, const DopplerEstimate& found, std::optional<double> velocity_m_s,
                                    const Imager& imager);

/// Where attitude does not tell the centroid's shape: adds what the range walk says, if neither file nor the phase
/// slope settle the ambiguity, and takes cells of an image instead of the echo's, in which the whole beam has passed
/// over every target. It takes the time of some small images.
DopplerEstimate settle_doppler(EchoSource& echo, DopplerEstimate found, std::optional<double> velocity_m_s,
                               const Imager& imager);

/// The centroid from some lines, settled like that: what `focus` takes from the data.
DopplerEstimate settled_doppler(EchoSource& echo, std::optional<double> velocity_m_s, const Imager& imager);

/// The velocity as a figure with an honest deviation: what parts of the scene scatter by, and 3e-4 of it for what they
/// share (motion of the ground, curvature of the orbit, the shape of the beam).
VelocityEstimate velocity_of(const LookEstimate& looks, bool along_orbit);

/// For `focus --velocity data`. Throws InputError where the data do not tell it.
VelocityEstimate estimate_velocity(EchoSource& echo, const DopplerSurface& centroid_hz, const Imager& imager);

struct DataParameters {
    DopplerEstimate estimate;  ///< cells are those of an image (whole_beam) where there is one
    DopplerChoice doppler;     ///< by data alone
    double error_hz = 0;       ///< standard deviation of its baseband part in the middle (doppler_fit.h)
    double confidence = 0;     ///< in its multiple of the PRF
    std::optional<LookEstimate> looks;
    std::optional<DopplerSurface> geometry_hz;  ///< by orbit and attitude
    /// In its multiple, as far as its distance from the baseband centroid of the data tells, where these have one.
    std::optional<double> geometry_confidence;
    std::optional<double> file_hz;             ///< the file's own
    std::optional<VelocityEstimate> velocity;  ///< by data; where there is an orbit, from the looks along it
    std::optional<double> file_velocity_m_s;
    std::vector<std::string> warnings;  ///< where they contradict each other
};
/// Of a cell, at the multiple of the PRF that lies next to a surface.
double absolute_hz(const DopplerCell& cell, const DopplerSurface& surface_hz, double prf_hz);
/// All of it. Throws InputError for an echo without signal.
DataParameters find_parameters(EchoSource& echo, const Imager& imager);

}  // namespace cornerturn
