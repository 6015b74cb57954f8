// SPDX-License-Identifier: Apache-2.0
// The range hyperbola R(eta)^2 = R0^2 + V^2 (eta - eta0)^2 and what it means in the range-Doppler and the 2-D frequency
// domain. Cumming & Wong (2005), ch. 4 and 5; everything in double, phases in cycles.
#pragma once

#include <cmath>

#include "kernels/math/frequency.h"
#include "kernels/math/host_device.h"
#include "kernels/math/speed_of_light.h"

namespace cornerturn {

/// Migration factor D(f_eta, V) = sqrt(1 - (lambda f_eta / 2V)^2), the cosine of the instantaneous squint angle
/// (eq. 5.29).
CT_HOST_DEVICE double migration_factor(double azimuth_frequency_hz, double velocity_m_s, double wavelength_m) {
    const double sine = azimuth_frequency_hz * (0.5 * wavelength_m / velocity_m_s);
    return std::sqrt(1.0 - sine * sine);
}

/// Time from zero Doppler to the moment at which a target at R0 has the Doppler frequency f_eta: -lambda R0 f_eta / (2
/// V^2 D).
CT_HOST_DEVICE double beam_time_offset_s(double range_m, double azimuth_frequency_hz, double velocity_m_s,
                                         double wavelength_m) {
    const double factor = migration_factor(azimuth_frequency_hz, velocity_m_s, wavelength_m);
    return -0.5 * wavelength_m * range_m * azimuth_frequency_hz / (velocity_m_s * velocity_m_s * factor);
}

/// The echo of a platform that flies on while the pulse travels: against the time of emission its spectrum is that of
/// the hyperbola with half the Doppler frequency taken from the carrier ...
CT_HOST_DEVICE double two_way_carrier_hz(double carrier_hz, double azimuth_frequency_hz) {
    return carrier_hz - 0.5 * azimuth_frequency_hz;
}
/// ... and this much of the range added, relative to it: 1 / sqrt(1 - V^2 / c^2) - 1 (docs/theory.md).
CT_HOST_DEVICE double two_way_stretch(double velocity_m_s) {
    return 0.5 * (velocity_m_s / c_m_s) * (velocity_m_s / c_m_s);
}

/// Azimuth FM rate |Ka| = 2 V^2 D^3 / (lambda R0) in Hz/s at a Doppler frequency.
CT_HOST_DEVICE double azimuth_fm_rate_hz_s(double range_m, double factor, double velocity_m_s, double wavelength_m) {
    return 2.0 * velocity_m_s * velocity_m_s / (wavelength_m * range_m) * (factor * factor * factor);
}

/// Whether an echo can have this range and this Doppler frequency: the sine of its squint, (c f_eta / 2V) / (f0 +
/// f_tau), lies below 1, and that of the carrier too.
CT_HOST_DEVICE bool frequencies_exist(double range_frequency_hz, double azimuth_frequency_hz, double velocity_m_s,
                                      double carrier_hz) {
    const double transverse = std::fabs(0.5 * c_m_s * azimuth_frequency_hz / velocity_m_s);
    return transverse < carrier_hz && transverse < carrier_hz + range_frequency_hz;
}

/// What the spectrum of a target at R0 holds beyond azimuth modulation and linear migration:
/// 2 R0/c * (sqrt((f0 + f_tau)^2 - (c f_eta / 2V)^2) - f0 D - f_tau / D), in cycles. The echo carries minus this; its
/// quadratic part is the secondary range compression of eq. 6.27, the rest are the higher orders.
CT_HOST_DEVICE double secondary_range_cycles(double range_m, double range_frequency_hz, double azimuth_frequency_hz,
                                             double velocity_m_s, double carrier_hz) {
    const double factor = migration_factor(azimuth_frequency_hz, velocity_m_s, c_m_s / carrier_hz);
    const double transverse = 0.5 * c_m_s * azimuth_frequency_hz / velocity_m_s;
    const double total = carrier_hz + range_frequency_hz;
    return 2.0 * range_m / c_m_s *
           (std::sqrt(total * total - transverse * transverse) - carrier_hz * factor - range_frequency_hz / factor);
}

/// Mean of secondary_range_cycles over a band of range frequencies, to second order in them: `mean_square_hz2` is the
/// weighted mean of their squares, bandwidth^2 / 12 without a window. What a filter made for another range or Doppler
/// frequency leaves of it is a phase error of the image.
CT_HOST_DEVICE double mean_secondary_range_cycles(double range_m, double factor, double mean_square_hz2,
                                                  double carrier_hz) {
    return -range_m * mean_square_hz2 / (c_m_s * carrier_hz) * ((1.0 - factor * factor) / (factor * factor * factor));
}

}  // namespace cornerturn
