// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/scaled_swath.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/math/hyperbola.h"

namespace cornerturn {

HyperbolaVelocity::HyperbolaVelocity(const ImagePlan& image)
    : middle_m_(image.swath.middle_m()), middle_m_s_(image.parameters.velocity(middle_m_)) {
    const double quarter_m = 0.25 * (image.swath.farthest_m - image.swath.nearest_m);
    if (quarter_m > 0)
        slope_per_s_ =
            (image.parameters.velocity(middle_m_ + quarter_m) - image.parameters.velocity(middle_m_ - quarter_m)) /
            (2 * quarter_m);
}

ScaledSwath::ScaledSwath(const Acquisition& echo, const ImagePlan& image, double doppler_hz)
    : echo_(echo), image_(image), velocity_(image), doppler_hz_(doppler_hz) {
    const double near_m = image.swath.nearest_m, far_m = image.swath.farthest_m, reference_m = image.swath.middle_m();
    law_ = {.doppler_hz = doppler_hz,
            .rate_hz_s = coupled_fm_rate_hz_s(echo.chirp.slope_hz_s, reference_m, factor(reference_m), echo.carrier_hz),
            // A secant rather than 1 / D: so a velocity that varies over the swath is followed. Scaled to zero Doppler,
            // not to the centroid: delays come to lie on the grid of closest ranges.
            .stretch = far_m > near_m ? (slant_m(far_m) - slant_m(near_m)) / (far_m - near_m) : 1 / factor(reference_m),
            .pivot_s = delay_s(reference_m),
            .reference_s = 2 / c_m_s * reference_m};
    // What bends off from the middle to either edge alike is shared between them and the middle.
    balance_m_ = 0.25 * (bend_m(near_m) + bend_m(far_m));
    law_.reference_s -= 2 / c_m_s * balance_m_;
}

double ScaledSwath::slant_m(double range_m) const {
    const RangeHistory& history = image_.histories.middle;
    const double centre_hz = history.centroid_hz(range_m), half_hz = history.half_band_hz();
    const double held_hz = std::clamp(doppler_hz_, centre_hz - half_hz, centre_hz + half_hz);
    return history.slant_m(range_m, held_hz) + range_m * (1 / factor(range_m) - 1 / factor(range_m, held_hz));
}

double ScaledSwath::band_edge_shift(double range_m) const {
    const double bandwidth_hz = echo_.chirp.bandwidth_hz();
    return (std::abs(scaling_shift_hz(law_, delay_s(range_m))) + std::abs(law_.stretch - 1) * bandwidth_hz / 2) /
           bandwidth_hz;
}

double ScaledSwath::coupling_left_rad(double range_m) const {
    double left_cycles = 0;
    for (const double edge : {-0.5, 0.5})
        left_cycles = std::max(
            left_cycles, std::abs(coupling_beyond_mean(range_m, edge * echo_.chirp.bandwidth_hz()) -
                                  coupling_beyond_mean(image_.swath.middle_m(), edge * echo_.chirp.bandwidth_hz())));
    // ... and the track's beside the hyperbola's.
    const double edge_hz = 0.5 * echo_.chirp.bandwidth_hz(), beyond_mean = 0.5 * edge_hz * edge_hz * (1 - 1.0 / 3);
    const double of_hyperbola =
        -2 * mean_secondary_range_cycles(range_m, carrier_factor(range_m), 1.0, echo_.carrier_hz);
    left_cycles += beyond_mean * std::abs(coupling_cycles_hz2(range_m) - of_hyperbola);
    return 2 * std::numbers::pi * left_cycles;
}

double ScaledSwath::image_cycles(double range_m, double delay_s, double mean_square_hz2) const {
    const RangeHistory& history = image_.histories.middle;
    const double reference_m = image_.swath.middle_m();
    const double taken =
        2 * mean_secondary_range_cycles(reference_m, carrier_factor(reference_m), 1.0, echo_.carrier_hz);
    const double coupling = -0.5 * mean_square_hz2 * (coupling_cycles_hz2(range_m) + taken);
    const double pulse = doppler_hz_ * (0.5 * doppler_hz_ / echo_.chirp.slope_hz_s - 0.5 * echo_.chirp.duration_s);
    return history.phase_cycles(range_m, doppler_hz_) + 0.125 + doppler_hz_ * delay_s + pulse + coupling -
           scaling_residual_cycles(law_, this->delay_s(range_m));
}

double ScaledSwath::migration_samples(double range_m) const {
    return std::abs(slant_m(range_m) - echo_.near_range_m - (range_m - image_.grid.near_range_m)) /
           echo_.range_spacing_m;
}

double ScaledSwath::factor(double range_m, double doppler_hz) const {
    return migration_factor(doppler_hz, velocity_(range_m), c_m_s / two_way_carrier_hz(echo_.carrier_hz, doppler_hz));
}

double ScaledSwath::carrier_factor(double range_m) const {
    return migration_factor(doppler_hz_, velocity_(range_m), c_m_s / echo_.carrier_hz);
}

double ScaledSwath::bend_m(double range_m) const {
    const double pivot_m = image_.swath.middle_m();
    return (slant_m(range_m) - slant_m(pivot_m)) / law_.stretch - (range_m - pivot_m);
}

double ScaledSwath::coupling_beyond_mean(double range_m, double f_tau) const {
    const double bandwidth_hz = echo_.chirp.bandwidth_hz();
    return secondary_range_cycles(range_m, f_tau, doppler_hz_, velocity_(range_m), echo_.carrier_hz) -
           mean_secondary_range_cycles(range_m, factor(range_m), bandwidth_hz * bandwidth_hz / 12, echo_.carrier_hz);
}

}  // namespace cornerturn
