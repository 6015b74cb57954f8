// SPDX-License-Identifier: Apache-2.0
// The numbers of range-Doppler's passes, from acquisition and plan.
#pragma once

#include "kernels/steps.h"
#include "pipeline/formers/former.h"
#include "pipeline/formers/range_coupling.h"

namespace cornerturn {

/// Of the gather along the migration; the range filter takes away what it lets droop.
SincKernel migration_kernel(const Acquisition& acquisition, const ImagePlan& image);

RangeCompression range_compression(const Acquisition& acquisition, const ImagePlan& image, const RangeCoupling& coupling,
                                   const SincKernel& kernel, const FftLengths& fft);
SecondaryRangeCompression secondary_range_compression(const Acquisition& acquisition, const ImagePlan& image, const FftLengths& fft);
AzimuthCompression azimuth_compression(const Acquisition& acquisition, const ImagePlan& image, const RangeCoupling& coupling,
                                       const SincKernel& kernel, const FftLengths& fft);

/// Of the drift of range histories, on the compressed echo and on the image.
PhaseCorrection drift_before(const Acquisition& acquisition, const ImagePlan& image);
PhaseCorrection drift_after(const ImagePlan& image);

FormerNote note_of(const RangeCoupling& coupling);
FormerNote note_of(const SincKernel& kernel);

}  // namespace cornerturn
