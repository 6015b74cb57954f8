// SPDX-License-Identifier: Apache-2.0
// Detection with several looks: power averaged over neighbouring samples, or over parts of the band.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "pipeline/acquisition/window.h"
#include "pipeline/echo/progress.h"
#include "pipeline/measure/image_view.h"

namespace cornerturn {

/// Image samples in one cell; with looks in the frequency domain, parts of the band.
struct Looks {
    std::int64_t azimuth = 1;
    std::int64_t range = 1;
};

enum class LookDomain {
    detected,  ///< the power of azimuth x range samples, averaged
    frequency  ///< the power of images of azimuth x range parts of the processed band, averaged
};

struct MultilookOptions {
    Looks looks;
    LookDomain domain = LookDomain::detected;
    /// Of looks in the frequency domain: what a part of the band shares with the next one, from 0 (side by side) to
    /// less than 1.
    double overlap = 0;
    Window azimuth_window = {}, range_window = {};  ///< over each part of the band
    int threads = 0;                                ///< 0: all cores
};

/// The cells of an image: as many whole ones as there are, each at the middle of its samples. Throws InputError where
/// there is none.
ImageGrid multilooked_grid(const ImageGrid& grid, const Looks& looks);

/// Takes the mean power of rows of cells, in order.
using PowerRows = std::function<void(std::int64_t first_row, std::span<const float> power)>;

/// Detects an image a block of rows at a time. Looks in the frequency domain lie about the Doppler centroid of each
/// column, on which the range carrier depends (Cumming & Wong 5.6.1 and 6.5.7: extraction, detection, summation), their
/// edges rounded off over an eighth of their width; each is scaled so that a flat spectrum keeps its power. Samples
/// that are not finite count as zero. Throws InputError for options that cannot be and, in the frequency domain, for
/// images that do not tell their bands.
void multilook(const ImageView& image, const MultilookOptions& options, const PowerRows& rows,
               const Progress& progress = {});

}  // namespace cornerturn
