// SPDX-License-Identifier: Apache-2.0
// The laws of azimuth compression in range-Doppler, from the range history.
#pragma once

#include "kernels/passes/azimuth_compression.h"
#include "pipeline/formers/image_plan.h"
#include "pipeline/formers/range_coupling.h"

namespace cornerturn {

/// Per image column, as polynomials of the Doppler frequency.
MigrationTable migration_table(const Acquisition& acquisition, const ImagePlan& image, const RangeCoupling& coupling);

/// By how many bins the Doppler band of each group of columns lies higher than that of the image's centroid; empty where it is the same.
std::vector<std::int32_t> band_shifts(const ImagePlan& image, double prf_hz, std::int64_t fft_length);

}  // namespace cornerturn
