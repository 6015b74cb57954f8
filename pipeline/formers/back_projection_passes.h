// SPDX-License-Identifier: Apache-2.0
// The passes of back-projection: their numbers from those of the radar.
#pragma once

#include "pipeline/formers/former.h"

namespace cornerturn {

/// Between cells lines run straight, which lets the edges of the band droop, where the range filter raises them, and leaves images of them
/// beyond the band: with so many cells for each sample ... of the signal.
inline constexpr std::int64_t cells_per_sample = 4;

/// Throws InputError where straight flight has a velocity that varies with range: there is no track that has two.
void require_one_velocity(const ImagePlan& image);

RangeCompression fine_range_compression(const Acquisition& acquisition, const ImagePlan& image, const FftLengths& fft);
PhaseCorrection phase_of_fine_lines(const Acquisition& acquisition);
Accumulation accumulation(const Acquisition& acquisition, const ImagePlan& image);

FormerNote note_of_accumulation(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
