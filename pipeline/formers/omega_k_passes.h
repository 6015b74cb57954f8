// SPDX-License-Identifier: Apache-2.0
// The numbers of omega-K's passes, from acquisition and plan.
#pragma once

#include "kernels/passes/azimuth_compression.h"
#include "kernels/passes/range_compression.h"
#include "kernels/passes/stolt_interpolation.h"
#include "kernels/steps/algorithm.h"
#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// Matched filter alone: the coupling is the reference function's.
RangeCompression matched_range_compression(const Acquisition& acquisition, const ImagePlan& image,
                                           const FftLengths& fft);

/// A range FFT of which the swath, moved to the middle by the reference function, fills so little that the Stolt
/// interpolation is exact to 84 dB at its edges with 16 taps.
std::int64_t least_stolt_length(const Acquisition& acquisition, const ImagePlan& image);
StoltInterpolation stolt_interpolation(const Acquisition& acquisition, const ImagePlan& image, const FftLengths& fft);

/// What Stolt interpolation leaves, as laws of azimuth compression; with what its kernel lets droop toward the edges of
/// the swath.
MigrationTable laws_after_stolt(const Acquisition& acquisition, const ImagePlan& image,
                                const StoltInterpolation& stolt);
AzimuthCompression compression_after_stolt(const Acquisition& acquisition, const ImagePlan& image,
                                           const StoltInterpolation& stolt, const MigrationTable& laws);

}  // namespace cornerturn
