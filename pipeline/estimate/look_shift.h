// SPDX-License-Identifier: Apache-2.0
// Shift between two looks: images of the same ground in parts of the azimuth band.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// Amplitudes of an image on its grid, and where its azimuth spectrum has its mean, in (-PRF/2, PRF/2].
struct Look {
    ImageGrid grid;
    std::vector<float> amplitude;
    double frequency_hz = 0;
    double independent_part = 1;  ///< of the cells: what both bandwidths fill of the sampling
};
Look look_of(const Image& image);

/// By how much the second look lies later and farther than the first.
struct LookShift {
    double time_s = 0, range_m = 0;
    double time_error_s = 0,
           range_error_m = 0;  ///< standard deviations, by leaving out one tile after the other (jackknife)
    double standing_out = 0;   ///< height of the correlation's peak, in standard deviations of noise
    int tiles = 0;
};

/// How far is looked for it, either way.
struct LookReach {
    double time_s = 0, range_m = 0;
};

/// Where the correlation of both looks, summed over tiles, has its peak. A tile's correlation is normalised by its own
/// energy, so that one bright target speaks for its tile only; mean values of rows and columns are taken off, so that
/// the edges of what is covered say nothing. Looks share no speckle: what correlates is what stands out of the ground
/// in both. Where the reach spans many cells, these are averaged first. Nothing where the looks overlap in too small an
/// area.
std::optional<LookShift> shift_of(const Look& first, const Look& second, const LookReach& reach, int threads = 0);

}  // namespace cornerturn
