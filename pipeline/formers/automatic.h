// SPDX-License-Identifier: Apache-2.0
// Which algorithm a scene asks for: the cheapest of those that hold for it.
#pragma once

#include <string>
#include <string_view>

#include "pipeline/formers/former.h"

namespace cornerturn {

inline constexpr std::string_view automatic_algorithm = "auto";

/// Phase that the coupling of range and azimuth frequency may leave at the edges of swath and band, beyond what azimuth
/// compression takes away: a parabola over the band that costs a thousandth of a point's width.
inline constexpr double largest_coupling_left_over_swath_rad = 0.25;

/// The one that makes images on maps.
inline constexpr const char* map_algorithm = "backprojection";

struct FormerChoice {
    const Former* former;
    std::string why;
};

/// Range-Doppler where the range-azimuth coupling is nearly the same at all ranges; else omega-K, which takes away the
/// larger part of it at each range; back-projection, which costs hundreds of times as much, where that does not hold
/// either (Cumming & Wong 2005, sec. 11.2). Never ffbp: it is for the CPU alone, and the choice does not know the
/// device. What a bending track asks for is seen later (plan_steps).
FormerChoice choose_former(const Acquisition& acquisition, const ImagePlan& image);

FormerNote note_of(const FormerChoice& choice);

}  // namespace cornerturn
