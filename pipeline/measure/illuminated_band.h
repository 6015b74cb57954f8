// SPDX-License-Identifier: Apache-2.0
// The part of the processed Doppler band that the beam illuminates, estimated from the spectra of bright points, for
// images that do not record it.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/measure/point_analysis.h"

namespace cornerturn {

/// Doppler bandwidth about the centroid between the points where the mean azimuth spectrum of the targets falls to half
/// its amplitude, good to a percent. Nothing where no target can be measured, or where the whole processed band is
/// illuminated.
std::optional<double> estimate_beam_bandwidth_hz(const ImageView& image, const std::vector<AnalysisTarget>& targets,
                                                 const TripleProduct& multiply = triple_product);

}  // namespace cornerturn
