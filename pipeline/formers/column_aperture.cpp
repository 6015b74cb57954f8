// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/column_aperture.h"

#include <algorithm>
#include <cmath>

#include "kernels/math/hyperbola.h"

namespace cornerturn {

double added_range_m(const Acquisition& acquisition, const ViewingGeometry& geometry, double range_m) {
    return geometry.track().added_range_m(acquisition.pulse_time_s(0.5 * static_cast<double>(acquisition.lines - 1)),
                                          range_m);
}

double closest_range_of_hyperbola_m(const Acquisition& acquisition, const FormerParameters& parameters,
                                    double slant_range_m) {
    double range = slant_range_m;
    for (int i = 0; i < 8; ++i)  // V changes by parts in a thousand over a swath: each turn gains three digits
        range = slant_range_m * migration_factor(parameters.doppler_centroid_hz, parameters.velocity(range),
                                                 acquisition.wavelength_m());
    return range;
}

HistorySpan history_span(const Acquisition& acquisition, const ImagePlan& plan) {
    const auto undelayed_m = [&](double slant_m) {
        const double range_m = closest_range_of_hyperbola_m(acquisition, plan.parameters, slant_m);
        return range_m - added_range_m(acquisition, *plan.geometry, range_m);
    };
    double first_m = undelayed_m(acquisition.near_range_m), last_m = undelayed_m(acquisition.far_range_m());
    const double margin_m = std::min(0.02 * (last_m - first_m) + 4 * acquisition.range_spacing_m, 0.1 * first_m);
    // Far ahead along an orbit hyperbolas miss closest ranges by more than that.
    if (!plan.map && plan.swath.farthest_m > plan.swath.nearest_m) {
        if (plan.swath.nearest_m < first_m - margin_m) first_m = plan.swath.nearest_m;
        if (plan.swath.farthest_m > last_m + margin_m) last_m = plan.swath.farthest_m;
    }
    const double chirp_part = 0.5 * acquisition.chirp.bandwidth_hz() / acquisition.carrier_hz;
    const double half_hz = plan.fades.pulse_reach_hz;
    return {.from_m = first_m - margin_m,
            .to_m = last_m + margin_m,
            .half_band_hz = half_hz + 1.1 * chirp_part * (std::abs(plan.parameters.doppler_centroid_hz) + half_hz)};
}

ChebyshevSeries over_range(const RangeHistory& history, const HistorySpan& span, double offset_hz, HistoryFunction of) {
    constexpr int points = 16;  // tell all
    std::vector<double> values;
    for (const double range_m : chebyshev_points(span.from_m, span.to_m, points))
        values.push_back((history.*of)(range_m, history.centroid_hz(range_m) + offset_hz));
    return ChebyshevSeries::through(span.from_m, span.to_m, values);
}

FilterLines filter_lines(const Acquisition& acquisition, const ImagePlan& plan, double range_m) {
    const double prf = acquisition.prf_hz, reach = static_cast<double>(plan.reach.azimuth_lines);
    const double edge_hz = acquisition.chirp.bandwidth_hz() / 2,
                 centroid_hz = plan.histories.middle.centroid_hz(range_m);
    const double faded_hz = plan.fades.pulse_reach_hz;
    const double centre_s = plan.histories.middle.centre_time_s(range_m);
    FilterLines lines;
    for (const double f_tau : {-edge_hz, edge_hz}) {
        const double carrier_part = acquisition.carrier_hz / (acquisition.carrier_hz + f_tau);
        const auto after_centre = [&](double f_eta) {
            return (plan.histories.middle.time_s(range_m, f_eta * carrier_part) - centre_s) * prf;
        };
        lines.before = std::max(lines.before, reach - after_centre(centroid_hz + faded_hz));
        lines.behind = std::max(lines.behind, reach + after_centre(centroid_hz - faded_hz));
    }
    return lines;
}

ColumnApertures::ColumnApertures(const Acquisition& acquisition, const ImagePlan& plan, double band_hz)
    : acquisition_(acquisition), plan_(plan), half_hz_(0.5 * band_hz) {
    const HistorySpan span = history_span(acquisition, plan);
    const auto series = [&](double offset_hz, HistoryFunction of) {
        return over_range(plan.histories.middle, span, offset_hz, of);
    };
    centre_s_ = series(0, &RangeHistory::time_s);
    high_s_ = series(half_hz_, &RangeHistory::time_s);
    low_s_ = series(-half_hz_, &RangeHistory::time_s);
    high_m_ = series(half_hz_, &RangeHistory::slant_m);
    low_m_ = series(-half_hz_, &RangeHistory::slant_m);
}

ColumnAperture ColumnApertures::at(std::int64_t column) const {
    const double range_m = plan_.grid.range_m(static_cast<double>(column)), centre_s = centre_s_(range_m),
                 low_m = low_m_(range_m), high_m = high_m_(range_m);
    const bool broadside = std::abs(plan_.histories.middle.centroid_hz(range_m)) <= half_hz_;
    return {.early_s = centre_s - high_s_(range_m),
            .late_s = low_s_(range_m) - centre_s,
            .nearest_m =
                broadside ? range_m + added_range_m(acquisition_, *plan_.geometry, range_m) : std::min(low_m, high_m),
            .farthest_m = std::max(low_m, high_m)};
}

}  // namespace cornerturn
