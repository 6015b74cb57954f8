// SPDX-License-Identifier: Apache-2.0
// What azimuth filters have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// The azimuth window at this distance from the centroid: over the processed band, with edges that fade.
double azimuth_window(const ImagePlan& image, double prf_hz, double offset_hz);

/// The same where pulses are summed: it moves with the pixel, and quick edges would move points.
double pulse_window(const ImagePlan& image, double offset_hz);

/// Per bin of a transform: azimuth window over the processed band, scaled so that a point of amplitude A, seen over the
/// whole band, peaks at A when the filter also multiplies by sqrt(Ka). Its edges fade: so the filter ends in time, and
/// the weight is 0 where phase and migration jump from one end of the PRF to the other.
std::vector<double> azimuth_weight(const Acquisition& acquisition, const ImagePlan& image, std::int64_t fft_length);

}  // namespace cornerturn
