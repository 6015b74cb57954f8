// SPDX-License-Identifier: Apache-2.0
// Range histories along a block of rows: laws are made for its middle row; on a curved orbit under squint those of
// other rows differ. Two smooth phases take the difference away, one before azimuth processing (a chirp perturbation,
// as in nonlinear chirp scaling: Wong & Yeo 2001), one on the image.
#pragma once

#include "kernels/math/smooth_surface.h"
#include "pipeline/acquisition/track/viewing_geometry.h"

namespace cornerturn {

struct HistoryDrift {
    SmoothSurface before_cycles;  ///< over time of emission (since the epoch) and slant range
    SmoothSurface after_cycles;   ///< over zero-Doppler time (since the epoch) and closest range
    double largest_cycles = 0;    ///< of the difference without them
    double range_error_m = 0;     ///< that is left at the block's ends
    double time_error_s = 0;      ///< likewise
    friend bool operator==(const HistoryDrift&, const HistoryDrift&) = default;
};

/// Rows within half_s of a zero-Doppler time, targets in a Doppler band about the centroid.
HistoryDrift history_drift(const ViewingGeometry& geometry, double zero_doppler_time_s, double half_s,
                           const HistorySpan& span, double band_hz);

/// Less is not worth two passes: 0.1 degrees.
inline constexpr double least_drift_cycles = 3e-4;

}  // namespace cornerturn
