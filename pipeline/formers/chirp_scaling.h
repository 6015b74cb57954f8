// SPDX-License-Identifier: Apache-2.0
// The chirp scaling algorithm (Raney et al. 1994; Cumming & Wong 2005, ch. 7): migration correction without
// interpolation, for squints and swaths over which neither the band of the chirps nor the coupling changes much.
#pragma once

#include "pipeline/formers/former.h"

namespace cornerturn {

/// What chirp scaling cannot do right, at its worst over swath and illuminated band.
struct ScalingLeft {
    double band_edge_shift = 0;  ///< of a scaled chirp from the band of the range filter; of the chirp's bandwidth
    double coupling_rad = 0;     ///< change of the coupling over range at the corners of the band, beyond its mean
    double migration_cells =
        0;  ///< by which trajectories bend from what scaling makes parallel, where the velocity varies
};
ScalingLeft left_by_chirp_scaling(const Acquisition& acquisition, const ImagePlan& image);

/// A band that moves also leaves some of the Fresnel ripple that the range filter takes from the spectrum of a chirp at
/// the reference range: echoes of a point within half a chirp of it, sqrt(2 / (bandwidth x duration)) high in all at
/// most. Each may cost a hundredth of a point's width at most.
inline constexpr double largest_band_edge_shift = 0.01;
inline constexpr double largest_scaled_coupling_left_rad = 0.25;
inline constexpr double largest_migration_left_cells = 0.1;
/// Phase that the curvature of an orbit may turn between the middle and the ends of a scene: 2 degrees.
inline constexpr double largest_scaled_drift_cycles = 0.006;

/// Throws InputError beyond these.
Formation chirp_scaling(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
