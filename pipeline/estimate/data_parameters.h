// SPDX-License-Identifier: Apache-2.0
// Doppler centroid, its ambiguity and effective velocity as the echo itself tells them, beside what the file says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/estimate/look_estimate.h"
#include "pipeline/run/source_and_sink.h"

namespace cornerturn {

/// The acquisition without what tells Doppler centroid, beam and velocity: attitude, values of the file's own, known targets. The orbit
/// stays.
Acquisition data_alone(Acquisition acquisition);

/// By looks of a part in the middle of the echo; where that is too small, of a larger one. `found` is of the whole echo. Range histories
/// are those of `velocity_m_s`, else of the orbit, else looked for.
std::optional<LookEstimate> look_at(EchoSource& echo, const DopplerEstimate& found, std::optional<double> velocity_m_s, int threads = 0);

/// Adds what the range walk says, where neither geometry nor file nor the phase slope settle the ambiguity: it takes the time of some small
/// images.
DopplerEstimate settle_ambiguity(EchoSource& echo, DopplerEstimate found, std::optional<double> velocity_m_s, int threads = 0);

/// The velocity as a figure with an honest deviation: what parts of the scene scatter by, and 2e-4 of it for what they share (motion of
/// the ground, curvature of the orbit, the shape of the beam).
struct VelocityEstimate {
    double velocity_m_s = 0, error_m_s = 0;
    double range_m = 0;  ///< of closest approach
};
VelocityEstimate velocity_of(const LookEstimate& looks);

/// For `focus --velocity data`. Throws InputError where the data do not tell it.
VelocityEstimate estimate_velocity(EchoSource& echo, const DopplerSurface& centroid_hz, int threads = 0);

struct DataParameters {
    DopplerEstimate estimate;  ///< cells are those of an image where that is better than the echo, see image_doppler.h
    bool cells_of_image = false;
    DopplerChoice doppler;  ///< by data alone
    double confidence = 0;  ///< in its multiple of the PRF
    std::optional<LookEstimate> looks;
    std::optional<DopplerSurface> geometry_hz;  ///< by orbit and attitude
    std::optional<double> file_hz;              ///< the file's own
    std::optional<VelocityEstimate> velocity;
    std::optional<double> orbit_velocity_m_s;  ///< of the FM rate along the orbit, at the same place
    std::optional<double> file_velocity_m_s;
    std::vector<std::string> warnings;  ///< where they contradict each other
};
/// All of it. Throws InputError for an echo without signal.
DataParameters find_parameters(EchoSource& echo, int threads = 0);

}  // namespace cornerturn
