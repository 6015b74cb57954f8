// SPDX-License-Identifier: Apache-2.0
// Compression of scaled chirps: range FFT -> matched filter of the new rate, secondary range compression and bulk range
// cell migration correction -> inverse FFT -> store x azimuth matched filter and what scaling left of phase (Cumming &
// Wong 2005, sec. 7.4, 7.5). Rows are azimuth bins.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/math/smooth_surface.h"
#include "kernels/passes/chirp_scaling.h"
#include "kernels/passes/tables.h"

namespace cornerturn {

/// in: azimuth_bins x samples, native, as ChirpScaling leaves it. out: azimuth_bins x columns, native: spectra of the
/// image's columns.
struct ScaledCompression {
    static constexpr Transforms transforms = Transforms::both;
    static constexpr bool reads_echo = false;
    static constexpr std::string_view title = "compression of scaled chirps";

    std::int64_t azimuth_bins = 0;
    std::int64_t samples = 0;
    std::int64_t fft_length = 0;
    std::int64_t columns = 0;  ///< image range columns

    double carrier_hz = 0;
    double sample_rate_hz = 0;
    double slope_hz_s = 0;          ///< of the chirp as sent
    double duration_s = 0;          ///< likewise
    double echo_near_range_m = 0;   ///< slant range of sample 0
    double image_near_range_m = 0;  ///< R0 of image column 0
    double image_delay_s = 0;       ///< zero-Doppler time of image row 0 less the time of echo line 0
    double reference_range_m = 0;   ///< of the coupling
    double reference_velocity_m_s = 0;
    double range_mean_square_hz2 = 0;  ///< mean square of the range frequencies, weighted by the range window

    std::vector<double> velocity_m_s;  ///< one per column
    std::vector<double> weight;  ///< one per bin: azimuth window and every constant gain; 0 outside the processed band
    std::vector<ScalingLaw> laws;  ///< one per bin
    /// Phase that a track has beside that of hyperbolas, over absolute Doppler frequency and R0. No value: none.
    std::optional<SmoothSurface> beside_hyperbola_cycles = {};
    /// Makes fft_length values: matched filter of the chirp as sent, with 1/fft_length of the inverse.
    std::function<std::vector<std::complex<double>>()> filter;

    LineShape shape() const { return {azimuth_bins, samples, fft_length, columns}; }
    template <class Real, class Tables>
    auto hooks(const Tables& tables) const;
};

template <class Real>
struct ScaledCompressionHooks {
    std::int64_t fft_length;
    double carrier_hz, sample_rate_hz, slope_hz_s, duration_s, echo_near_range_m, image_near_range_m, image_delay_s;
    double reference_range_m, reference_velocity_m_s, range_mean_square_hz2;
    const double* velocity_m_s;
    const double* weight;
    const ScalingLaw* laws;
    const Complex<Real>* response;
    bool beside_hyperbola = false;
    SmoothSurface beside_hyperbola_cycles = {};

    /// What the matched filter of the chirp as sent lacks. A frequency of the scaled chirp was 1 / stretch of itself
    /// before.
    CT_HOST_DEVICE double filter_cycles(const ScalingLaw& law, double f_tau) const {
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
    CT_HOST_DEVICE double image_cycles(const ScalingLaw& law, double range_m, double velocity) const {
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
        const double beside = beside_hyperbola ? beside_hyperbola_cycles(law.doppler_hz, range_m) : 0.0;
        return azimuth + pulse + coupling + beside -
               scaling_residual_cycles(law, 2.0 / c_m_s * range_m / factor - law.doppler_hz / slope_hz_s);
    }

    CT_HOST_DEVICE Complex<Real> filter(std::int64_t line, std::int64_t bin) const {
        const ScalingLaw law = laws[line];
        // Scaling spreads a chirp's energy over a wider band.
        const auto gain = static_cast<Real>(std::sqrt(law.stretch));
        return gain * (response[bin] *
                       unit_phasor<Real>(filter_cycles(law, range_frequency_hz(bin, fft_length, sample_rate_hz))));
    }
    CT_HOST_DEVICE Complex<Real> scale(std::int64_t line, std::int64_t column) const {
        if (!(weight[line] > 0)) return {0, 0};
        const ScalingLaw law = laws[line];
        const double range_m = image_near_range_m + static_cast<double>(column) * (0.5 * c_m_s / sample_rate_hz);
        const double velocity = velocity_m_s[column], wavelength_m = c_m_s / carrier_hz;
        const double factor = migration_factor(law.doppler_hz, velocity, wavelength_m);
        const double gain = weight[line] * std::sqrt(azimuth_fm_rate_hz_s(range_m, factor, velocity, wavelength_m));
        return static_cast<Real>(gain) * unit_phasor<Real>(image_cycles(law, range_m, velocity));
    }
};

template <class Real, class Tables>
auto ScaledCompression::hooks(const Tables& tables) const {
    return ScaledCompressionHooks<Real>{.fft_length = fft_length,
                                        .carrier_hz = carrier_hz,
                                        .sample_rate_hz = sample_rate_hz,
                                        .slope_hz_s = slope_hz_s,
                                        .duration_s = duration_s,
                                        .echo_near_range_m = echo_near_range_m,
                                        .image_near_range_m = image_near_range_m,
                                        .image_delay_s = image_delay_s,
                                        .reference_range_m = reference_range_m,
                                        .reference_velocity_m_s = reference_velocity_m_s,
                                        .range_mean_square_hz2 = range_mean_square_hz2,
                                        .velocity_m_s = tables(velocity_m_s, "the velocities"),
                                        .weight = tables(weight, "the azimuth weights"),
                                        .laws = tables(laws, "the scaling laws"),
                                        .response = tables(as_complex<Real>(filter()), "the range filter"),
                                        .beside_hyperbola = beside_hyperbola_cycles.has_value(),
                                        .beside_hyperbola_cycles = beside_hyperbola_cycles.value_or(SmoothSurface{})};
}

}  // namespace cornerturn
