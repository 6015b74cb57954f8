// SPDX-License-Identifier: Apache-2.0
// Measurement of the response of point targets in a focused image against theory.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/acquisition/image.h"
#include "pipeline/measure/cut_metrics.h"
#include "pipeline/measure/image_view.h"
#include "pipeline/measure/matrix_fourier.h"
#include "pipeline/measure/point_theory.h"

namespace cornerturn {

/// Where to look.
struct AnalysisTarget {
    double range_m = 0;  ///< closest slant range R0
    double time_s = 0;   ///< zero-Doppler time, since the acquisition's epoch
    bool exact = true;   ///< the place is known, not found by searching the image
    std::optional<std::complex<double>>
        amplitude;        ///< the true one: a point shows amplitude * exp(-j 4 pi R0 / lambda)
    double height_m = 0;  ///< above the ellipsoid
    std::optional<DopplerBand> illuminated_band_hz = {};  ///< what recorded pulses illuminate
};

/// One axis of one response.
struct AxisAnalysis {
    std::optional<double> position_error_px;  ///< peak less target; only for exact targets
    CutMetrics measured;
    CutMetrics theory;
    Cut cut;
    Cut theory_cut;
};

struct PointAnalysis {
    AnalysisTarget target;
    std::string refused;  ///< why it could not be measured; "" if it was, and only then the rest counts

    bool fully_covered = true;  ///< by chirp and aperture; else neither width nor magnitude can be those of theory
    double row = 0;             ///< of the peak, image pixels
    double column = 0;
    double range_m = 0;
    double time_s = 0;
    double magnitude = 0;                   ///< of the peak
    double phase_deg = 0;                   ///< of the image at the peak
    std::optional<double> phase_error_deg;  ///< against amplitude * exp(-j 4 pi R0 / lambda), both carriers taken off
                                            ///< about the true place
    std::optional<double>
        magnitude_error_db;  ///< against |amplitude|, less what the beam does not illuminate of the processed band
    AxisAnalysis range;
    AxisAnalysis azimuth;
};

/// Oversampled power around a measured peak, for pictures.
struct ResponsePicture {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    double step_px =
        0;  ///< image pixels from one element to the next, both axes; the peak is element (rows / 2, columns / 2)
    std::vector<float> power;
};

AnalysisTarget analysis_target(const PointTarget& truth);

/// The support of a target's response. Where its illuminated band is known, that and the orbit decide, not what the
/// chain took for either.
ResponseSupport target_support(const Image& image, const AnalysisTarget& target);

/// The targets whose truth the image carries.
std::vector<AnalysisTarget> known_targets(const Image& image);

/// The `count` brightest pixels that are at least `separation_px` apart in row or column and leave room for a chip,
/// brightest first; from the fully compressed part of the image, or from all of it where that part has none.
std::vector<AnalysisTarget> strongest_peaks(const ImageView& image, int count, std::int64_t separation_px = 32);

/// The pixels of an image that analyze_point reads; none for a target that cannot be measured.
std::optional<PixelBlock> pixels_about(const Image& image, const AnalysisTarget& target);

/// Finds the peak within 4 pixels of the target and measures it. Never throws for a target that cannot be measured; see
/// `refused`. Throws InputError for an image that lacks what theory needs (bandwidths, velocity).
PointAnalysis analyze_point(const ImageView& image, const AnalysisTarget& target,
                            const TripleProduct& multiply = triple_product);

/// The response of a measured point within `half_width_px` pixels of its peak.
ResponsePicture oversampled_response(const ImageView& image, const PointAnalysis& point, double half_width_px,
                                     double step_px, const TripleProduct& multiply = triple_product);

}  // namespace cornerturn
