// SPDX-License-Identifier: Apache-2.0
// The numbers of range-Doppler's passes, from acquisition and plan.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "kernels/passes/azimuth_compression.h"
#include "kernels/passes/phase_correction.h"
#include "kernels/passes/range_compression.h"
#include "kernels/passes/secondary_range_compression.h"
#include "kernels/steps/algorithm.h"
#include "pipeline/formers/former.h"
#include "pipeline/formers/range_coupling.h"

namespace cornerturn {

/// Of the gather along the migration; the range filter takes away what it lets droop.
SincKernel migration_kernel(const Acquisition& acquisition, const FormerParameters& parameters);

/// Makes the values of a filter over the bins of a transform, when they are needed; outlives acquisition and plan.
using RangeFilter = std::function<std::vector<std::complex<double>>()>;
/// The matched filter alone, at a Doppler frequency.
RangeFilter matched_filter(const Acquisition& acquisition, const ImagePlan& image, std::int64_t length,
                           double doppler_hz);
/// Of all lines.
RangeCompression compression_by(RangeFilter filter, const Acquisition& acquisition, const FftLengths& fft);
RangeCompression range_compression(const Acquisition& acquisition, const ImagePlan& image,
                                   const RangeCoupling& coupling, const SincKernel& kernel, const FftLengths& fft);
SecondaryRangeCompression secondary_range_compression(const Acquisition& acquisition, const ImagePlan& image,
                                                      const FftLengths& fft);
AzimuthCompression azimuth_compression(const Acquisition& acquisition, const ImagePlan& image,
                                       const MigrationTable& laws, const SincKernel& kernel, const FftLengths& fft);

/// What the file says of each line's phase, and the drift of range histories.
bool needs_echo_phase(const Acquisition& acquisition, const RowHistories& histories);
/// What lies at a sample was sent by a target `nearer_m` nearer: 0 of compressed echoes.
PhaseCorrection echo_phase(const Acquisition& acquisition, const RowHistories& histories, double nearer_m = 0);
/// The drift of range histories on the image.
PhaseCorrection image_phase(const ImagePlan& image);

FormerNote note_of(const RangeCoupling& coupling);
FormerNote note_of(const HistoryDrift& drift);
FormerNote note_of(const SincKernel& kernel);

}  // namespace cornerturn
