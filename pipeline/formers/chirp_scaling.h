// SPDX-License-Identifier: Apache-2.0
// The chirp scaling algorithm (Raney et al. 1994; Cumming & Wong 2005, ch. 7): migration correction without
// interpolation, for squints and swaths over which neither the band of the chirps nor the coupling nor the Doppler
// centroid changes much. Migration is that of the track; its phase, too, by a surface beside that of hyperbolas.
#pragma once

#include "pipeline/formers/former.h"

namespace cornerturn {

/// What chirp scaling cannot do right, at its worst over swath and illuminated band.
struct ScalingErrors {
    double band_edge_shift = 0;  ///< of a scaled chirp from the band of the range filter; of the chirp's bandwidth
    double coupling_rad = 0;     ///< change of the coupling over range at the corners of the band, beyond its mean
    double migration_cells = 0;  ///< by which trajectories bend from what scaling makes parallel
    double shift_cells = 0;      ///< the mean of that over the band, and what phases along a block do to long chirps
    double phase_cycles = 0;     ///< of the track beside hyperbolas and the surface that is laid through the difference
    double lost_band = 0;        ///< part of the beam of a range that lies outside the one band that is processed
};
ScalingErrors errors_of_chirp_scaling(const Acquisition& acquisition, const ImagePlan& image);

/// A band that moves also leaves some of the Fresnel ripple that the range filter takes from the spectrum of a chirp at
/// the reference range: echoes of a point within half a chirp of it, sqrt(2 / (bandwidth x duration)) high in all at
/// most. Each may cost a hundredth of a point's width at most.
inline constexpr double largest_band_edge_shift = 0.008;
inline constexpr double largest_scaled_coupling_left_rad = 0.25;
inline constexpr double largest_migration_left_cells = 0.1;
inline constexpr double largest_shift_left_cells = 0.004;
inline constexpr double largest_scaled_phase_left_cycles = 0.002;
inline constexpr double largest_band_lost = 0.005;

/// Throws InputError beyond these.
Formation chirp_scaling(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
