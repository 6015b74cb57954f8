// SPDX-License-Identifier: Apache-2.0
// The Doppler centroid over the swath, for satellites and for platforms low over the ground.
#pragma once

#include <optional>
#include <vector>

#include "kernels/math/smooth_surface.h"
#include "pipeline/acquisition/fits/surface_fit.h"
#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

/// Absolute Doppler centroid in Hz over time and slant range in m: a polynomial, over slant range or over the angle off
/// nadir, acos(nadir / range). Near the ground below it a beam's frequency is smooth over that angle only: over range
/// it starts like a root.
struct DopplerSurface : SmoothSurface {
    double nadir_m = 0;  ///< slant range of the ground right below; 0: a polynomial over slant range

    DopplerSurface(const SmoothSurface& polynomial = {}, double nadir_range_m = 0);  // NOLINT: a polynomial is one
    double operator()(double time_s, double range_m) const {
        return SmoothSurface::operator()(time_s, scaled_range_m(range_m));
    }
    /// Where the polynomial is asked: as far between the edges of its scale as the angle is between theirs.
    double scaled_range_m(double range_m) const;
    /// The range that lies there, from -1 to 1 between the edges of the scale.
    double range_at_m(double part) const;
    friend DopplerSurface operator+(DopplerSurface surface, double by_hz) {
        surface.powers[0][0] += by_hz;
        return surface;
    }
    friend bool operator==(const DopplerSurface&, const DopplerSurface&) = default;
};

/// Of the ground at a height right below a platform that flies so low that its swath is wide seen from there; 0 for
/// satellites.
double nadir_range_m(const Orbit& orbit, double time_s, double height_m = 0);

std::vector<std::vector<double>> rows_of(const DopplerSurface& frame, const std::vector<Power>& powers,
                                         std::vector<SurfacePoint> points);
DopplerSurface fit_surface(const DopplerSurface& frame, const std::vector<Power>& powers,
                           std::vector<SurfacePoint> points);
/// Through values over times and ranges, whose span is that of the surface: over slant range, or the angle off nadir
/// where an orbit tells of a low platform and that fits better.
DopplerSurface surface_through(const std::vector<SurfacePoint>& points, const std::vector<Power>& powers,
                               const std::optional<Orbit>& orbit);

}  // namespace cornerturn
