// SPDX-License-Identifier: Apache-2.0
// The passes of back-projection: their numbers from those of the radar.
#pragma once

#include "pipeline/formers/former.h"

namespace cornerturn {

/// Between cells lines run straight, which lets the edges of the band droop, where the range filter raises them, and leaves images of them
/// beyond the band. A point that does not migrate shows them most: with four cells for each sample 0.11 dB at its highest sidelobe and 0.2
/// % of its width where the chirp fills 0.72 of the sample rate, 0.19 dB and 0.4 % where it fills 0.93, and a quarter of that with eight.
std::int64_t cells_per_sample(const Acquisition& acquisition);

/// Throws InputError where straight flight has a velocity that varies with range: there is no track that has two.
void require_one_velocity(const ImagePlan& image);

RangeCompression fine_range_compression(const Acquisition& acquisition, const ImagePlan& image, const FftLengths& fft);
PhaseCorrection phase_of_fine_lines(const Acquisition& acquisition);
Accumulation accumulation(const Acquisition& acquisition, const ImagePlan& image);

FormerNote note_of_accumulation(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
