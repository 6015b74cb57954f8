// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/history_drift.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/host/side_by_side.h"
#include "pipeline/acquisition/fits/surface_fit.h"

namespace cornerturn {
namespace {

constexpr int rows_looked_at = 9, aperture_points = 16;
/// A terrain changes more over range than an orbit's geometry does.
constexpr int ranges_of_orbit = 4, ranges_of_terrain = 8;

/// One target of the block beside the one of the middle row at its closest range, while the beam passes over it. Times
/// since each one's own zero Doppler.
class TargetPair {
public:
    TargetPair(const ViewingGeometry& geometry, double middle_s, double later_s, double range_m, double band_hz)
        : middle_s_(middle_s), later_s_(later_s), range_m_(range_m), carrier_hz_(geometry.carrier_hz()) {
        const BeamCentre beam = geometry.beam_centre(middle_s + later_s, range_m);
        const DelayHistory here = geometry.track().delay_history(middle_s + later_s, range_m);
        const DelayHistory middle = geometry.track().delay_history(middle_s, range_m);
        rate_hz_s_ = beam.rate_hz_s;
        half_aperture_s_ = 0.5 * band_hz / rate_hz_s_;
        for (int k = 0; k < aperture_points; ++k) {
            time_s_.push_back(half_aperture_s_ * ((2 * k + 1.0) / aperture_points - 1));
            const double time_s = beam.time_s + time_s_.back();
            at_s_.push_back(time_s);
            here_s_.push_back(here(time_s));
            middle_delay_s_.push_back(middle(time_s));
        }
    }

    double later_s() const { return later_s_; }
    double range_m() const { return range_m_; }
    double half_aperture_s() const { return half_aperture_s_; }
    double rate_hz_s() const { return rate_hz_s_; }

    /// Mean and slope (per s) over the aperture of what is given at each of its points.
    struct Line {
        double mean = 0, slope = 0;
    };
    Line of_delays() const {
        return line([&](std::size_t k) { return carrier_hz_ * (here_s_[k] - middle_delay_s_[k]); });
    }
    /// Of a phase over time of emission and slant range.
    template <class Phase>
    Line of(const Phase& cycles) const {
        return line([&](std::size_t k) {
            return cycles(middle_s_ + later_s_ + at_s_[k], 0.5 * speed_of_light_m_s * here_s_[k]) -
                   cycles(middle_s_ + at_s_[k], 0.5 * speed_of_light_m_s * middle_delay_s_[k]);
        });
    }

private:
    template <class Value>
    Line line(const Value& value) const {
        double sum = 0, moment = 0, square = 0;
        for (std::size_t k = 0; k < time_s_.size(); ++k) {
            const double v = value(k);
            sum += v;
            moment += v * time_s_[k];
            square += time_s_[k] * time_s_[k];
        }
        return {sum / static_cast<double>(time_s_.size()), moment / square};
    }

    double middle_s_, later_s_, range_m_, carrier_hz_, half_aperture_s_ = 0, rate_hz_s_ = 0;
    std::vector<double> time_s_, at_s_, here_s_, middle_delay_s_;
};

}  // namespace

HistoryDrift history_drift(const ViewingGeometry& geometry, double zero_doppler_time_s, double half_s,
                           const HistorySpan& span, double band_hz) {
    const bool terrain = geometry.track().over_terrain();
    const int ranges = terrain ? ranges_of_terrain : ranges_of_orbit;
    const std::vector<double> later_s = chebyshev_points(-half_s, half_s, rows_looked_at),
                              ranges_m = chebyshev_points(span.from_m, span.to_m, ranges);
    const std::vector<TargetPair> pairs = side_by_side(later_s.size() * ranges_m.size(), [&](std::size_t i) {
        return TargetPair(geometry, zero_doppler_time_s, later_s[i / ranges_m.size()], ranges_m[i % ranges_m.size()],
                          band_hz);
    });

    const double middle_m = 0.5 * (span.from_m + span.to_m), half_m = 0.5 * (span.to_m - span.from_m);
    double half_aperture_s = 0;
    for (const TargetPair& pair : pairs) half_aperture_s = std::max(half_aperture_s, pair.half_aperture_s());
    HistoryDrift drift;
    drift.before_cycles = {.x_centre = geometry.beam_time_s(zero_doppler_time_s, middle_m),
                           .x_half = half_s + half_aperture_s,
                           .y_centre = middle_m,
                           .y_half = half_m};
    drift.after_cycles = {.x_centre = zero_doppler_time_s, .x_half = half_s, .y_centre = middle_m, .y_half = half_m};

    // Before: so that nothing that is linear over the aperture is left. A constant or linear part in time changes
    // nothing.
    const int range_powers = terrain ? SmoothSurface::y_powers : 2;
    // Of rows that span less than an aperture higher powers would be guessed where its ends lie.
    const int time_powers = half_s > half_aperture_s ? SmoothSurface::x_powers : 3;
    std::vector<Power> before;
    for (int i = 2; i < time_powers; ++i)
        for (int j = 0; j < range_powers; ++j) before.push_back({i, j});
    std::vector<std::vector<double>> rows;
    std::vector<double> right;
    for (const TargetPair& pair : pairs) {
        const TargetPair::Line delays = pair.of_delays();
        right.push_back(delays.slope);
        rows.emplace_back();
        for (const Power& power : before)
            rows.back().push_back(pair.of(with_powers(drift.before_cycles, {power}, {1.0})).slope);
        drift.largest_cycles = std::max(drift.largest_cycles, std::abs(delays.mean));
    }
    drift.range_error_m = drift.largest_cycles * 0.5 * speed_of_light_m_s / geometry.carrier_hz();
    drift.before_cycles = with_powers(drift.before_cycles, before, least_squares(rows, right).solution);
    for (std::size_t i = 0; i < pairs.size(); ++i)
        drift.time_error_s = std::max(
            drift.time_error_s, std::abs(right[i] - pairs[i].of(drift.before_cycles).slope) / pairs[i].rate_hz_s());

    // After: what is left on the mean.
    std::vector<Power> after{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {1, 2}, {2, 2}};
    if (terrain) after.insert(after.end(), {{3, 2}, {4, 2}, {1, 3}, {2, 3}, {3, 3}, {4, 3}});
    std::vector<SurfacePoint> left;
    for (const TargetPair& pair : pairs)
        left.push_back({.x = zero_doppler_time_s + pair.later_s(),
                        .y = pair.range_m(),
                        .value = pair.of_delays().mean - pair.of(drift.before_cycles).mean});
    drift.after_cycles = fit_surface(drift.after_cycles, after, left);
    return drift;
}

}  // namespace cornerturn
