// SPDX-License-Identifier: Apache-2.0
// What an image shows of a point that some tens of pulses light: their spectrum is summed pulse by pulse, with all that
// folds back into the PRF, where Fresnel integrals of a beam know what its nearest ends leave there.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/formers/prediction.h"

namespace cornerturn {

/// How a former shows points.
struct ShownBeam {
    double beam_hz = 0, fm_rate_hz_s = 0;
    double chirp_hz = 0;         ///< by which the chirp's ends see it aside (BeamAside)
    bool weighs_pulses = false;  ///< else Doppler frequencies
};

/// Of fewer pulses a point moves with its place between them, though nothing folds back.
inline constexpr double pulses_of_an_aperture = 24;

/// Of short apertures, for which that is cheap and Fresnel integrals are too coarse, where the PRF is not far above the
/// beam, or pulses are no aperture.
bool has_few_pulses(const Acquisition& acquisition, const ShownBeam& beam);

/// How many pulses light a point at near range, if they are so few that the PRF is no way out: they are no aperture, or
/// far denser than the beam asks for.
std::optional<double> pulses_of_no_aperture(const Acquisition& acquisition, const ImagePlan& image, double beam_hz);

/// What points are off by whose beams lie so far aside, wherever they lie between pulses and rows: against the sum of
/// all pulses that light them, each as the azimuth window weighs it; where a part of the beam is processed, against the
/// response of that part.
Prediction lost_by_few_pulses(const Acquisition& acquisition, const ImagePlan& image, const ShownBeam& beam,
                              const std::vector<double>& of_ranges_hz);

/// The -3 dB width of points in rows of sums over pulses, where short apertures are sampled far more densely than their
/// beam asks for: up to 0.005 of it is what points were measured to be off along rows (docs/limits.md), more than the
/// limit in pixels. Nothing for other beams.
std::optional<double> rows_of_wide_points(const Acquisition& acquisition, const ImagePlan& image);

/// What rows of sums have to hold beside a beam of so few pulses; nothing for longer apertures.
struct RoomOfFewPulses {
    double lobes_hz = 0;  ///< to either side: weights that end at the beam would end within a point's main lobe
    double pulse_hz = 0;  ///< of the Doppler frequencies that one pulse stands for, half of it beyond either end
};
RoomOfFewPulses room_of_few_pulses(const Acquisition& acquisition, const ImagePlan& image, double beam_hz);

/// Along azimuth a point is the mean over the chirp, whose frequencies see its beam aside by these.
std::vector<double> offsets_along_chirp_hz(double end_hz);

}  // namespace cornerturn
