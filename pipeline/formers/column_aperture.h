// SPDX-License-Identifier: Apache-2.0
// What the beam sees of the columns of an image: synthetic apertures with the slant ranges passed on the way, and the
// lines that filters look at about the beam's centre.
#pragma once

#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// What a delay adds to a closest range, in the middle of the echo.
double added_range_m(const Acquisition& acquisition, const ViewingGeometry& geometry, double range_m);

/// Closest range of a target whose beam-centre echo begins at a given slant range, roughly.
double closest_range_of_hyperbola_m(const Acquisition& acquisition, const FormerParameters& parameters,
                                    double slant_range_m);

/// All closest ranges that the swath may hold, and the band with its fading edges as any frequency of the chirp sees
/// it.
HistorySpan history_span(const Acquisition& acquisition, const ImagePlan& plan);

using HistoryFunction = double (RangeHistory::*)(double range_m, double doppler_hz) const;
/// This far from the centroid of each range: a series over range.
ChebyshevSeries over_range(const RangeHistory& history, const HistorySpan& span, double offset_hz, HistoryFunction of);

/// Lines that a filter looks at before and after the beam centre.
struct FilterLines {
    double before = 0, behind = 0;
};

/// The aperture with the fading edges of its band, at any frequency of the chirp as each sees a Doppler frequency at a
/// time of its own, and the ends of the filter.
FilterLines filter_lines(const Acquisition& acquisition, const ImagePlan& plan, double range_m);

/// The aperture of one image column.
struct ColumnAperture {
    double early_s, late_s;        ///< before and after the beam centre
    double nearest_m, farthest_m;  ///< slant ranges passed within
    FilterLines lines(double prf_hz) const { return {early_s * prf_hz, late_s * prf_hz}; }
};

/// Those of a band of one width about the centroids of the columns.
class ColumnApertures {
public:
    /// Both must outlive it.
    ColumnApertures(const Acquisition& acquisition, const ImagePlan& plan, double band_hz);

    ColumnAperture at(std::int64_t column) const;

private:
    const Acquisition& acquisition_;
    const ImagePlan& plan_;
    double half_hz_;
    ChebyshevSeries centre_s_, high_s_, low_s_, high_m_, low_m_;
};

}  // namespace cornerturn
