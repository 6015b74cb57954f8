// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/range_coupling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/hyperbola.h"

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

/// Phase that a coupling term taken at (f_dc, reference range) leaves at the corners of the band, near and far, beyond the mean over
/// range frequency that azimuth compression takes care of.
double left_by_range_filter_rad(const Acquisition& acquisition, const ImagePlan& image) {
    const double carrier_hz = acquisition.carrier_hz, bandwidth_hz = acquisition.chirp.bandwidth_hz();
    const auto beyond_mean = [&](double range_m, double f_tau, double f_eta) {
        const double v = image.parameters.velocity(range_m), factor = migration_factor(f_eta, v, acquisition.wavelength_m());
        return secondary_range_cycles(range_m, f_tau, f_eta, v, carrier_hz) -
               mean_secondary_range_cycles(range_m, factor, bandwidth_hz * bandwidth_hz / 12, carrier_hz);
    };
    double left_cycles = 0;
    for (const double range_m : {image.nearest_m, image.farthest_m})
        for (const double f_eta : {image.low_doppler_hz(), image.high_doppler_hz()})
            for (const double f_tau : {-bandwidth_hz / 2, bandwidth_hz / 2})
                left_cycles =
                    std::max(left_cycles, std::abs(beyond_mean(range_m, f_tau, f_eta) -
                                                   beyond_mean(image.reference_range_m(), f_tau, image.parameters.doppler_centroid_hz)));
    return 2 * std::numbers::pi * left_cycles;
}

}  // namespace

RangeCoupling plan_range_coupling(const Acquisition& acquisition, const ImagePlan& image) {
    const double left_rad = left_by_range_filter_rad(acquisition, image);
    return {.place = left_rad < largest_coupling_left_rad ? CouplingPlace::range_filter : CouplingPlace::two_dimensional,
            .left_rad = left_rad,
            .mean_square_hz2 = mean_square_hz2(image.parameters.range_window, acquisition.chirp.bandwidth_hz())};
}

}  // namespace cornerturn
