// SPDX-License-Identifier: Apache-2.0
// The passes of back-projection: their numbers from those of the radar.
#pragma once

#include "pipeline/formers/former.h"

namespace cornerturn {

/// Between cells lines run straight, which lets the edges of the band droop, where the range filter raises them, and
/// leaves images of them beyond the band. A point that does not migrate shows them most: with four cells for each
/// sample 0.11 dB at its highest sidelobe and 0.2 % of its width where the chirp fills 0.72 of the sample rate, 0.19 dB
/// and 0.4 % where it fills 0.93, and a quarter of that with eight.
std::int64_t cells_per_sample(const Acquisition& acquisition);

/// Throws InputError where straight flight has a velocity that varies with range: there is no track that has two.
void require_one_velocity(const ImagePlan& image);

/// Compressed lines, finer than the samples were.
struct FineLines {
    std::int64_t cells = 1;  ///< for each sample
    bool straight = false;   ///< between the cells, when they are read: the filter makes up for it
};
RangeCompression fine_range_compression(const Acquisition& acquisition, const ImagePlan& image, const FftLengths& fft,
                                        FineLines lines);
PhaseCorrection phase_of_fine_lines(const Acquisition& acquisition, std::int64_t cells);
CompressedTiming compressed_timing(const Acquisition& acquisition, const ImagePlan& image, std::int64_t cells);
Accumulation accumulation(const Acquisition& acquisition, const ImagePlan& image, std::int64_t cells);
/// The azimuth window over the lines: what a line weighs is what it holds of the band, which it passes with the FM rate
/// of its frequency. Of a track without zero Doppler all lines weigh the same.
DopplerWindow doppler_window(const Acquisition& acquisition, const ImagePlan& image);
double pixel_pulses(const Acquisition& acquisition, const ImagePlan& image);

FormerNote note_of_accumulation(const Acquisition& acquisition, const ImagePlan& image, std::int64_t cells);

}  // namespace cornerturn
