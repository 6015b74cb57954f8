// SPDX-License-Identifier: Apache-2.0
// Secondary range compression in the range-Doppler algorithm: where the coupling of range and azimuth frequency is
// taken away, and what is left of it.
#pragma once

#include "pipeline/formers/image_plan.h"

namespace cornerturn {

enum class CouplingPlace { range_filter, two_dimensional };

struct RangeCoupling {
    CouplingPlace place = CouplingPlace::range_filter;
    double left_rad = 0;         ///< phase left at the corners of the band if it sat in the range filter
    double mean_square_hz2 = 0;  ///< mean square of the range frequencies, weighted by the range window
    double centroid_hz = 0;      ///< Doppler frequency that the range filter takes it at

    /// Second derivative of the phase over range frequency that was taken away at a Doppler frequency.
    double taken_cycles_hz2(const RangeHistory& history, double doppler_hz) const {
        return history.coupling_cycles_hz2(history.middle_range_m(),
                                           place == CouplingPlace::two_dimensional ? doppler_hz : centroid_hz);
    }
};

/// Beyond this the range filter does not do.
inline constexpr double largest_coupling_left_rad = 0.1;

/// Phase left at the corners of the band, near and far, where the coupling is taken away at every Doppler frequency,
/// but as it is in the middle of the swath.
double left_over_swath_rad(const Acquisition& acquisition, const ImagePlan& image);
/// Where a bin has but one Doppler frequency, what columns see beyond the PRF about the image's centroid has what
/// belongs a PRF away taken off: by how much these differ, at the carrier, or also at the ends of the chirp, whose
/// Doppler frequencies are higher and lower.
double jump_at_aliases_rad(const Acquisition& acquisition, const ImagePlan& image, bool over_chirp);
/// In the midst of a beam it moves points: 0.2 rad by 0.015 px.
inline constexpr double largest_jump_at_aliases_rad = 0.05;
/// The part of a point's spectrum that lies there at the ends of the chirp only, of what is processed, at most.
double part_at_aliases(const Acquisition& acquisition, const ImagePlan& image);
/// It is lost: 1.5 % widened a point by 3 %, 0.7 % by half a percent.
inline constexpr double largest_part_at_aliases = 0.008;
/// What points near either edge of the swath lose: the ends of a chirp have Doppler frequencies beside the beam, where
/// a point's range history leaves the cells that are recorded, though all of its echo is there.
struct LossAtEdges {
    double part = 0;   ///< of the spectrum of a point at the edge of what the beam saw whole
    double cells = 0;  ///< from there, how far points lose any
};
LossAtEdges loss_at_edges(const Acquisition& acquisition, const ImagePlan& image);
/// 3 % widened a point by 4.3 %; over fewer cells interpolation ends, too, which takes 16.
inline constexpr double largest_loss_at_edges = 0.01, fewest_cells_of_loss = 8;
/// Beyond what azimuth compression takes away: a parabola over the band that costs a thousandth of a point's width.
inline constexpr double largest_coupling_left_over_swath_rad = 0.25;

RangeCoupling plan_range_coupling(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
