// SPDX-License-Identifier: Apache-2.0
// A picture of point responses: each oversampled in decibels, with the cuts through its peak beside and below it.
#pragma once

#include <vector>

#include "data/picture/picture.h"
#include "pipeline/measure/point_analysis.h"

namespace cornerturn {

/// One tile per measured target, three side by side. Range to the right, zero-Doppler time down, as in the quick-look
/// picture; measured cuts red, theory a broad blue line behind them. Targets that could not be measured are left out;
/// none measured gives an empty picture.
Picture response_plot(const ImageView& image, const std::vector<PointAnalysis>& points,
                      const TripleProduct& multiply = triple_product);

}  // namespace cornerturn
