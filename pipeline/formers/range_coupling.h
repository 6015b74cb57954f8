// SPDX-License-Identifier: Apache-2.0
// Secondary range compression in the range-Doppler algorithm: where the coupling of range and azimuth frequency is taken away, and what is
// left of it.
#pragma once

#include "pipeline/formers/image_plan.h"

namespace cornerturn {

enum class CouplingPlace { range_filter, two_dimensional };

struct RangeCoupling {
    CouplingPlace place = CouplingPlace::range_filter;
    double left_rad = 0;         ///< phase left at the corners of the band if it sat in the range filter
    double mean_square_hz2 = 0;  ///< mean square of the range frequencies, weighted by the range window
};

/// Beyond this the range filter does not do.
inline constexpr double largest_coupling_left_rad = 0.1;

RangeCoupling plan_range_coupling(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
