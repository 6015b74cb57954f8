// SPDX-License-Identifier: Apache-2.0
// Formulas of chirp scaling at one azimuth frequency (Cumming & Wong 2005, ch. 7), from which the laws of the pass are
// made.
#pragma once

#include <cmath>

#include "kernels/math/hyperbola.h"

namespace cornerturn {

/// What scaling does at one azimuth frequency. Delays are those of a pulse's leading edge, 2 R / c.
struct ScalingLaw {
    double doppler_hz;  ///< absolute
    double rate_hz_s;   ///< FM rate Km of the chirp, coupling included, at the reference range (eq. 7.19)
    double stretch;  ///< alpha: by which delays from the pivot shrink, and rate and bandwidth of the chirp grow; C_s +
                     ///< 1 of the book
    double pivot_s;  ///< delay of the reference range, which stays where it is, with what Doppler moves the pulse by
    double reference_s;  ///< ... and at zero Doppler, where it belongs
};

/// FM rate in the range-Doppler domain: the coupling of hyperbola.h, -R0 (1 - D^2) / (c f0 D^3) f_tau^2, takes from the
/// chirp's own phase.
inline double coupled_fm_rate_hz_s(double slope_hz_s, double range_m, double factor, double carrier_hz) {
    return slope_hz_s / (1.0 + 2.0 * slope_hz_s * mean_secondary_range_cycles(range_m, factor, 1.0, carrier_hz));
}

/// Instantaneous frequency that scaling gives to the middle of a chirp from a range whose delay is delay_s.
inline double scaling_shift_hz(const ScalingLaw& law, double delay_s) {
    return law.rate_hz_s * (law.stretch - 1.0) * (delay_s - law.pivot_s);
}

/// Cycles by which the weak chirp of scaling turns the square of a delay from the pivot (eq. 7.30).
inline double scaling_cycles_s2(const ScalingLaw& law) { return 0.5 * law.rate_hz_s * (law.stretch - 1.0); }

/// Phase that a scaled chirp has in its new middle because it was not there before (eq. 7.31), with the sign of the
/// echo.
inline double scaling_residual_cycles(const ScalingLaw& law, double delay_s) {
    return 0.5 * scaling_shift_hz(law, delay_s) * (delay_s - law.pivot_s) / law.stretch;
}

/// What compression of scaled chirps takes away where range histories are hyperbolas.
struct ScaledPhases {
    double carrier_hz = 0;
    double slope_hz_s = 0;  ///< of the chirp as sent
    double duration_s = 0;  ///< likewise
    double echo_near_range_m = 0;
    double image_near_range_m = 0;  ///< R0 of image column 0
    double image_delay_s = 0;       ///< zero-Doppler time of image row 0 less the time of echo line 0
    double reference_range_m = 0;   ///< of the coupling
    double reference_velocity_m_s = 0;
    double range_mean_square_hz2 = 0;  ///< mean square of the range frequencies, weighted by the range window

    /// What the matched filter of the chirp as sent lacks. A frequency of the scaled chirp was 1 / stretch of itself
    /// before.
    double filter_cycles(const ScalingLaw& law, double f_tau) const {
        const double factor = migration_factor(law.doppler_hz, reference_velocity_m_s, c_m_s / carrier_hz),
                     sent_hz = f_tau / law.stretch;
        const double rate = 0.5 * f_tau * f_tau * (1.0 / (law.stretch * law.rate_hz_s) - 1.0 / slope_hz_s);
        const double higher_orders =
            secondary_range_cycles(reference_range_m, sent_hz, law.doppler_hz, reference_velocity_m_s, carrier_hz) -
            mean_secondary_range_cycles(reference_range_m, factor, sent_hz * sent_hz, carrier_hz);
        // From where the pivot lies to its closest range, on the grid of the image.
        const double advance_s = law.pivot_s - law.reference_s + 2.0 / c_m_s * (image_near_range_m - echo_near_range_m);
        return rate + higher_orders + f_tau * advance_s;
    }
    /// What is left to do at a range: azimuth modulation, the residual of scaling, and the mean of the coupling's
    /// change over range.
    double image_cycles(const ScalingLaw& law, double range_m, double velocity) const {
        const double wavelength_m = c_m_s / two_way_carrier_hz(carrier_hz, law.doppler_hz);
        const double factor = migration_factor(law.doppler_hz, velocity, wavelength_m);
        const double reference_factor = migration_factor(law.doppler_hz, reference_velocity_m_s, wavelength_m);
        // The echo carries -2 R0 D / lambda - 1/8 (stationary phase); a point keeps -2 R0 / lambda.
        const double way = carrier_hz * (factor - 1.0 + two_way_stretch(velocity)) - 0.5 * law.doppler_hz * factor;
        const double azimuth = 2.0 / c_m_s * range_m * way + 0.125 + law.doppler_hz * image_delay_s;
        // Doppler runs on within the pulse.
        const double pulse = law.doppler_hz * (0.5 * law.doppler_hz / slope_hz_s - 0.5 * duration_s);
        const double coupling =
            mean_secondary_range_cycles(range_m, factor, range_mean_square_hz2, carrier_hz) -
            mean_secondary_range_cycles(reference_range_m, reference_factor, range_mean_square_hz2, carrier_hz);
        return azimuth + pulse + coupling -
               scaling_residual_cycles(law, 2.0 / c_m_s * range_m / factor - law.doppler_hz / slope_hz_s);
    }
    /// Amplitude that makes a point of amplitude A peak at A (azimuth_weight), but for the weight.
    double image_gain(const ScalingLaw& law, double range_m, double velocity) const {
        const double wavelength_m = c_m_s / carrier_hz;
        return std::sqrt(azimuth_fm_rate_hz_s(range_m, migration_factor(law.doppler_hz, velocity, wavelength_m),
                                              velocity, wavelength_m));
    }
};

}  // namespace cornerturn
