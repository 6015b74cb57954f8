// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/range_coupling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cornerturn {
namespace {

double mean_square_hz2(const Window& window, double bandwidth_hz) {
    constexpr int steps = 1000;
    double weights = 0, squares = 0;
    for (int i = 0; i < steps; ++i) {
        const double x = (i + 0.5) / steps - 0.5;
        weights += window(x);
        squares += window(x) * x * x;
    }
    return squares / weights * bandwidth_hz * bandwidth_hz;
}

/// What a column is seen in; a beam that nobody knows is taken to fill two thirds of the PRF, as they do.
double illuminated_hz(const Acquisition& echo, const ImagePlan& image) {
    return std::min(image.parameters.azimuth_bandwidth_hz, echo.azimuth_bandwidth_hz.value_or(echo.prf_hz * 2 / 3));
}

/// Phase that coupling leaves at the corners of the band, near and far, beyond the mean over range frequency that
/// azimuth compression takes care of. `taken(f_hz)`: of its second derivative.
template <class Taken>
double left_rad(const Acquisition& acquisition, const ImagePlan& image, double band_hz, const Taken& taken) {
    const RangeHistory& history = image.history;
    const double edge_hz = acquisition.chirp.bandwidth_hz() / 2, beyond_mean = 0.5 * edge_hz * edge_hz * (1 - 1.0 / 3);
    double left_cycles = 0;
    for (const double range_m : {image.nearest_m, image.farthest_m})
        for (const double side : {-0.5, 0.5}) {
            const double f_hz = history.centroid_hz(range_m) + side * band_hz;
            left_cycles =
                std::max(left_cycles, beyond_mean * std::abs(history.coupling_cycles_hz2(range_m, f_hz) - taken(f_hz)));
        }
    return 2 * std::numbers::pi * left_cycles;
}

/// A term taken at (f_dc, middle range).
double left_by_range_filter_rad(const Acquisition& acquisition, const ImagePlan& image) {
    const double taken =
        image.history.coupling_cycles_hz2(image.history.middle_range_m(), image.parameters.doppler_centroid_hz);
    return left_rad(acquisition, image, image.parameters.azimuth_bandwidth_hz, [=](double) { return taken; });
}

}  // namespace

double left_over_swath_rad(const Acquisition& acquisition, const ImagePlan& image) {
    const RangeHistory& history = image.history;
    return left_rad(acquisition, image, image.parameters.azimuth_bandwidth_hz,
                    [&](double f_hz) { return history.coupling_cycles_hz2(history.middle_range_m(), f_hz); });
}

double left_at_aliases_rad(const Acquisition& acquisition, const ImagePlan& image) {
    const RangeHistory& history = image.history;
    const double centroid_hz = image.parameters.doppler_centroid_hz;
    const auto of_bin_hz = [&](double f_hz) {
        return centroid_hz + std::remainder(f_hz - centroid_hz, acquisition.prf_hz);
    };
    return left_rad(acquisition, image, illuminated_hz(acquisition, image), [&](double f_hz) {
        return history.coupling_cycles_hz2(history.middle_range_m(), of_bin_hz(f_hz));
    });
}

RangeCoupling plan_range_coupling(const Acquisition& acquisition, const ImagePlan& image) {
    const double left = left_by_range_filter_rad(acquisition, image);
    return {.place = left < largest_coupling_left_rad ? CouplingPlace::range_filter : CouplingPlace::two_dimensional,
            .left_rad = left,
            .mean_square_hz2 = mean_square_hz2(image.parameters.range_window, acquisition.chirp.bandwidth_hz()),
            .centroid_hz = image.parameters.doppler_centroid_hz};
}

}  // namespace cornerturn
