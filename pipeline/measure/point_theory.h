// SPDX-License-Identifier: Apache-2.0
// Theoretical cuts through a point response: the response of the support in the 2-D frequency plane.
#pragma once

#include <optional>

#include "pipeline/acquisition/image.h"
#include "pipeline/acquisition/window.h"
#include "pipeline/measure/cut_metrics.h"

namespace cornerturn {

/// The weighted support of a point in the plane of range frequency f_tau and azimuth frequency f_eta: |f_tau| <= range
/// bandwidth / 2, |f_eta - f_dc| <= azimuth bandwidth / 2, and, where that is known, what the beam illuminates: it
/// bounds the aspect angle, so that f_eta * f0 / (f0 + f_tau) lies within the band that recorded pulses illuminate of
/// this target, else within the beam's Doppler bandwidth about f_dc. So does the processed band where pulses are
/// weighed and not frequencies.
struct ResponseSupport {
    double carrier_hz = 0;
    double velocity_m_s = 0;
    double velocity_slope = 0;  ///< R0 / V dV / dR0: along orbits effective velocity changes with closest range
    double doppler_centroid_hz = 0;
    double range_bandwidth_hz = 0;
    double azimuth_bandwidth_hz = 0;                 ///< processed
    std::optional<double> beam_bandwidth_hz;         ///< of the echo
    std::optional<DopplerBand> illuminated_band_hz;  ///< of a known target
    Window range_window;
    Window azimuth_window;
    bool pulses_weighed = false;  ///< by the azimuth window: back-projection

    /// The Doppler frequency at the carrier of the pulse that the window weighs for this f_eta, over f_eta.
    double weighed_part(double range_frequency_hz) const {
        return pulses_weighed ? carrier_hz / (carrier_hz + range_frequency_hz) : 1.0;
    }
    /// Frequency along the range axis of the focused image, (f0 + f_tau) dR / dR0 - f0 of R^2 = R0^2 + V(R0)^2 t^2:
    /// K + velocity_slope T^2 / K - f0 with T = c f_eta / 2V and K^2 = (f0 + f_tau)^2 - T^2. Its dependence on f_eta
    /// skews the support under squint.
    double image_range_frequency_hz(double range_frequency_hz, double azimuth_frequency_hz) const;
    /// The azimuth frequencies of the support at this range frequency; none where it has none.
    std::optional<DopplerBand> azimuth_band_hz(double range_frequency_hz) const;
    /// What of the azimuth band is illuminated, at the carrier.
    std::optional<DopplerBand> beam_band_hz() const;
    /// The azimuth band left by processing and beam together, at the carrier.
    DopplerBand effective_azimuth_band_hz() const;
    double effective_azimuth_bandwidth_hz() const {
        return effective_azimuth_band_hz().high_hz - effective_azimuth_band_hz().low_hz;
    }
    double centre_hz() const {
        return 0.5 * (effective_azimuth_band_hz().low_hz + effective_azimuth_band_hz().high_hz);
    }
};

/// The support of an image at one of its pixels. Throws InputError where the image does not tell its bandwidths or its
/// velocity.
ResponseSupport response_support(const Image& image, double row, double column);

/// The peak of a point over that of one illuminated in the whole processed band; an image shows a point of amplitude A
/// with A times this.
double illuminated_fraction(const ResponseSupport& support);

/// Cuts through the peak at delays (range) or times (azimuth) of k * step, |k| <= half_count, labelled with step_px.
Cut theoretical_range_cut(const ResponseSupport& support, double step_s, std::int64_t half_count, double step_px);
Cut theoretical_azimuth_cut(const ResponseSupport& support, double step_s, std::int64_t half_count, double step_px);

}  // namespace cornerturn
