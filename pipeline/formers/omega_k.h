// SPDX-License-Identifier: Apache-2.0
// The omega-K or wavenumber algorithm (Cafforio, Prati & Rocca 1991; Cumming & Wong 2005, ch. 8) with the spectrum of
// the exact range history, for wide apertures and squint: what couples range and azimuth frequency is taken away over
// both at once, at all ranges alike.
#pragma once

#include "pipeline/formers/former.h"

namespace cornerturn {

/// What reference function and Stolt interpolation, made for the middle of the swath, leave at other ranges: at its
/// worst over swath and illuminated band. Nothing in straight flight at one velocity.
struct StoltErrors {
    double phase_rad = 0;  ///< over the chirp's band, beyond a mean and a slope, which azimuth compression takes away
    double cells = 0;      ///< by which that moves a range
    double centroid_change_hz = 0;  ///< over the swath
};
StoltErrors errors_of_stolt(const Acquisition& acquisition, const ImagePlan& image);

/// A parabola over the band that costs a thousandth of a point's width.
inline constexpr double largest_stolt_phase_left_rad = 0.25;
/// Azimuth compression reads between its columns; the droop of its kernel stays below a hundredth of the band's edge.
inline constexpr double largest_stolt_move_cells = 0.1;

/// Throws InputError beyond these, and where the centroid changes over the swath by more than a PRF: a bin is two
/// Doppler frequencies at most.
Formation omega_k(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
