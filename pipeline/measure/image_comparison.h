// SPDX-License-Identifier: Apache-2.0
// Agreement of two images of one scene: registration, brightness, likeness of samples, and phase.
#pragma once

#include <complex>
#include <cstdint>

#include "pipeline/echo/progress.h"
#include "pipeline/measure/common_grid.h"

namespace cornerturn {

struct ComparisonOptions {
    std::int64_t most_chips = 400;
    bool whole = false;  ///< all that both images cover, not only what both declare fully compressed
    int threads = 0;     ///< 0: all cores
};

struct Spread {
    double median = 0;  ///< what a few chips do not move that hold next to nothing but sidelobes of one point
    double mean = 0, deviation = 0;  ///< standard deviation of one chip's value
};

/// Where things lie in the second image less where they lie in the first, by the axes of both. Chips whose peak is
/// lower than a fifth of that of equal chips are left out.
struct OffsetStatistics {
    std::int64_t chips = 0;  ///< that matched
    Spread azimuth_px, range_px;
};

struct ImageComparison {
    bool on_maps = false;                    ///< azimuth is y then, as rows run, and range is x
    PixelBlock shared;                       ///< in pixels of the first
    double row_shift = 0, column_shift = 0;  ///< from the first grid to the second, in pixels
    bool interpolated = false;               ///< the second, onto the grid of the first
    std::int64_t samples = 0;                ///< compared one by one
    std::int64_t non_finite = 0;             ///< left out
    std::int64_t chips = 0;                  ///< of 64 x 64 samples, not 60 dB below the brightest
    OffsetStatistics complex_offset;         ///< by cross-correlation of the samples
    OffsetStatistics detected_offset;        ///< by that of their power
    double amplitude_correlation = 0;        ///< of |a| and |b| over all samples (Pearson)
    double coherence_median = 0,
           coherence_mean = 0;  ///< over windows of 16 x 16, registration and each chip's phase ramp taken off
    double phase_mean_deg = 0;  ///< arg sum a conj(b)
    double phase_rms_deg = 0;   ///< of the windows about the mean, as the images are
    double phase_ramp_azimuth_deg_px = 0, phase_ramp_range_deg_px = 0;
    std::complex<double> gain = 1;  ///< with which the second comes nearest to the first
    double signal_to_error_db = 0;  ///< energy of the first over that of the difference; infinite for equal images
    double signal_to_error_with_gain_db = 0;
};

/// Reads both in pieces: rows of samples for the sums, bands of rows for the chips. Throws InputError as CommonGrid
/// does, and where no chip can be compared.
ImageComparison compare_images(const NamedImage& first, const NamedImage& second, const ComparisonOptions& options = {},
                               const Progress& progress = {});

}  // namespace cornerturn
