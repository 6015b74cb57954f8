// SPDX-License-Identifier: Apache-2.0
// Motion compensation: the lines of an antenna that sways, converted to those of one that flies along the reference
// track.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/math/chebyshev.h"
#include "kernels/math/complex.h"
#include "kernels/math/optimal_interpolation.h"
#include "pipeline/acquisition/pulse_interpolation.h"
#include "pipeline/acquisition/track/track_offset.h"

namespace cornerturn {

/// What a pulse shows is moved in range and turned in phase by how much farther it is about the beam's centre (of first
/// order); what that differs by over the beam is taken away where lines are interpolated between pulses: by a filter of
/// Doppler frequencies for each line and range.
class MotionCompensation {
    /// Where smooth functions of range are asked: over the way along the ground, in which they have no edge where the
    /// antenna looks straight down; and over the band.
    static constexpr std::size_t most_range_terms = 12, band_points = 6;

public:
    /// Of lines without their pulse's phase, so long (PulsePhase). Filters for every `stretch` samples.
    MotionCompensation(std::shared_ptr<const TrackOffset> offset, std::int64_t length, std::int64_t stretch);

    const TrackOffset& offset() const { return *offset_; }
    /// Moves the line of one pulse; `from` stays unchanged.
    void move(std::int64_t pulse, const Complex<float>* from, Complex<float>* to) const;
    /// Shift of move() at a slant range, in m towards the antenna.
    std::function<double(double range_m)> moved_m(std::int64_t pulse) const;

    /// The filters of a line.
    class Filters {
    public:
        /// Of a stretch, counted.
        FilterTerms of(std::int64_t stretch) const;

    private:
        friend class MotionCompensation;
        const MotionCompensation* compensation_ = nullptr;
        std::array<std::array<double, most_range_terms>, std::tuple_size_v<FilterNodes>>
            cycles_{};  ///< [node][range point]
    };
    /// At a time of the reference, over a band so wide about the centroid.
    Filters filters(double time_s, double band_hz) const;

private:
    double along_ground_m(double range_m) const;
    /// -1 ... 1 from the nearest to the farthest range.
    double place_of(double range_m) const;
    double range_of(std::int64_t sample) const;
    std::vector<double> slant_ranges_m(std::size_t count) const;
    std::vector<double> terms_over_range(std::int64_t pulse, const std::vector<double>& slant_ranges_m) const;
    std::vector<double> enough_slant_ranges_m() const;

    std::shared_ptr<const TrackOffset> offset_;
    std::int64_t length_, stretch_;
    double below_m_, nearest_m_, farthest_m_;  ///< of the antenna to the ground; along the ground
    std::vector<double> slant_ranges_m_;       ///< where functions of range are asked
    std::size_t range_terms_ = 0;              ///< as many
    std::vector<double> basis_;                ///< [term][sample]
    std::vector<double> to_stretches_;         ///< [stretch][range point]
    std::vector<double> to_nodes_;             ///< [filter node][band point]
    InterpolationTable<float> table_;
};

}  // namespace cornerturn
