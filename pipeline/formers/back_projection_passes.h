// SPDX-License-Identifier: Apache-2.0
// The passes of back-projection: their numbers from those of the radar.
#pragma once

#include "kernels/passes/accumulation.h"
#include "kernels/passes/phase_correction.h"
#include "kernels/passes/range_compression.h"
#include "pipeline/formers/former.h"

namespace cornerturn {

/// Of a line that runs straight between its cells, at a frequency in cycles per cell: the transform of a triangle.
double droop_between_cells(double frequency);

/// Between cells lines run straight, which lets the edges of the band droop, where the range filter raises them, and
/// leaves images of them beyond the band. A point that does not migrate shows them most: with four cells for each
/// sample 0.11 dB at its highest sidelobe and 0.2 % of its width where the chirp fills 0.72 of the sample rate, 0.19 dB
/// and 0.4 % where it fills 0.93, and a quarter of that with eight.
std::int64_t cells_per_sample(const Acquisition& acquisition);

/// On the zero-Doppler grid columns lie on cells, and points do not move. On maps they lie anywhere between them, and
/// the images of the band move them by parts of their width (docs/limits.md): as many cells as leave the limit of
/// position in pixels, however fine these are, but no more than 32.
std::int64_t cells_per_sample(const Acquisition& acquisition, const ImagePlan& image);

/// Cells of lines that run straight between them and miss ideal interpolation by an error of this energy, to that of
/// the signal, wherever in the band of the chirp that lies; at least those above.
std::int64_t cells_per_sample(const Acquisition& acquisition, double error_db);

/// Throws InputError where straight flight has a velocity that varies with range: there is no track that has two.
void require_one_velocity(const ImagePlan& image);

/// Compressed lines, finer than the samples were.
struct FineLines {
    std::int64_t cells = 1;               ///< for each sample
    bool straight = false;                ///< between the cells, when they are read: the filter makes up for it
    std::int64_t before = 0, behind = 0;  ///< samples by which they go on beyond the echo

    std::int64_t cells_of(std::int64_t samples) const { return cells * (before + samples + behind); }
};
/// The same, so long that the pixels find what they look for, and this much beside it. Where an aperture leaves the
/// swath a line does not break off: the parts of chirps that the echo holds fade it out, so that it stays as
/// band-limited as elsewhere. Images on maps look for nothing outside.
FineLines beyond_the_swath(FineLines lines, const Acquisition& acquisition, const ImagePlan& image,
                           double beside_samples = 0);
/// Of transforms in which nothing wraps into these lines that the extent does not allow.
FftLengths least_lengths(const Acquisition& acquisition, const ImagePlan& image, FineLines lines);

RangeCompression fine_range_compression(const Acquisition& acquisition, const ImagePlan& image, const FftLengths& fft,
                                        FineLines lines);
PhaseCorrection phase_of_fine_lines(const Acquisition& acquisition, FineLines lines);
CompressedTiming compressed_timing(const Acquisition& acquisition, const ImagePlan& image, FineLines lines);
Accumulation accumulation(const Acquisition& acquisition, const ImagePlan& image, FineLines lines);
/// The azimuth window over the lines: what a line weighs is what it holds of the band, which it passes with the FM rate
/// of its frequency. Of a track without zero Doppler all lines weigh the same.
DopplerWindow doppler_window(const ImagePlan& image);
double pixel_pulses(const Acquisition& acquisition, const ImagePlan& image);

FormerNote note_of_accumulation(const Acquisition& acquisition, const ImagePlan& image, FineLines lines);

}  // namespace cornerturn
