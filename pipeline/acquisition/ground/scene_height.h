// SPDX-License-Identifier: Apache-2.0
// Height of the ground at a pixel: a constant, or a smooth surface through a terrain. Range histories are those of
// points at this height.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/math/chebyshev.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/ground/terrain.h"

namespace cornerturn {

/// Pixels between zero-Doppler times (since the epoch) and closest ranges.
struct PixelSpan {
    double from_s = 0, to_s = 0, from_m = 0, to_m = 0;
};

/// Height above the ellipsoid over zero-Doppler time and closest range.
class SceneHeight {
public:
    SceneHeight(double height_m = 0) : constant_m_(height_m) {}  // NOLINT: a number is a height
    /// How far the ground lies above the surface at a place.
    struct Relief {
        double zero_doppler_time_s = 0, range_m = 0, height_m = 0;
    };
    /// Held outside of its span.
    SceneHeight(const PixelSpan& span, ChebyshevSurface height_m, std::vector<Relief> relief = {})
        : span_(span), surface_m_(std::move(height_m)), relief_(std::move(relief)), constant_(false) {}

    double operator()(double zero_doppler_time_s, double range_m) const;
    /// The heights of a time, over closest range.
    class OverRange {
    public:
        explicit OverRange(double height_m) : constant_m_(height_m) {}
        explicit OverRange(ChebyshevSeries height_m) : series_m_(std::move(height_m)), constant_(false) {}
        double operator()(double range_m) const {
            return constant_ ? constant_m_ : series_m_(std::clamp(range_m, series_m_.from(), series_m_.to()));
        }

    private:
        double constant_m_ = 0;
        ChebyshevSeries series_m_;
        bool constant_ = true;
    };
    OverRange at(double zero_doppler_time_s) const;
    bool constant() const { return constant_; }
    /// Whether it is a surface over all of these pixels.
    bool covers(const PixelSpan& pixels) const {
        return !constant_ && pixels.from_s >= span_.from_s && pixels.to_s <= span_.to_s &&
               pixels.from_m >= span_.from_m && pixels.to_m <= span_.to_m;
    }
    /// Within its span.
    struct Limits {
        double lowest_m = 0, highest_m = 0;
    };
    Limits limits() const;
    /// Where the surface follows the terrain worst, of each of some parts of the span.
    const std::vector<Relief>& relief() const { return relief_; }
    /// How far that is at most, up or down.
    double largest_relief_m() const {
        double most_m = 0;
        for (const Relief& there : relief_) most_m = std::max(most_m, std::abs(there.height_m));
        return most_m;
    }

private:
    double constant_m_ = 0;
    PixelSpan span_;
    ChebyshevSurface surface_m_;  // x: range, y: time
    std::vector<Relief> relief_;
    bool constant_ = true;
};

/// Along an orbit, in the mean square over what lies within a span and in the terrain: the terrain's heights are those
/// of cells as wide as the points lie apart. Throws InputError where the terrain does not cover the span. What else is
/// worth telling goes to `remarks`.
SceneHeight height_over_terrain(const Orbit& orbit, LookSide side, const PixelSpan& span, TerrainSource& terrain,
                                std::vector<std::string>& remarks);

}  // namespace cornerturn
