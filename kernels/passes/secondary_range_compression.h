// SPDX-License-Identifier: Apache-2.0
// Secondary range compression in the 2-D frequency domain, for scenes whose coupling changes too much over the Doppler band to sit
// in the range filter. Rows are azimuth bins: range FFT -> coupling phase at this Doppler frequency -> inverse FFT.
#pragma once

#include "kernels/hyperbola.h"
#include "kernels/passes/line_pass.h"
#include "kernels/phasor.h"

namespace cornerturn {

/// in and out: azimuth_bins x range_cells, native; may be the same matrix.
struct SecondaryRangeCompression {
    static constexpr Transforms transforms = Transforms::both;
    static constexpr bool reads_echo = false;
    static constexpr std::string_view title = "secondary range compression";

    std::int64_t azimuth_bins = 0;
    std::int64_t range_cells = 0;
    std::int64_t fft_length = 0;
    double carrier_hz = 0;
    double sample_rate_hz = 0;
    double prf_hz = 0;
    double doppler_centroid_hz = 0;
    double reference_range_m = 0;
    double velocity_m_s = 0;  ///< at the reference range

    LineShape shape() const { return {azimuth_bins, range_cells, fft_length, range_cells}; }
    template <class Real, class Tables>
    auto hooks(const Tables& tables) const;
};

template <class Real>
struct SecondaryRangeCompressionHooks {
    SecondaryRangeCompression p;

    /// 0 where no wave has these frequencies: a high PRF holds Doppler frequencies that a slow platform cannot give rise to.
    CT_HOST_DEVICE Complex<Real> filter(std::int64_t line, std::int64_t bin) const {
        const double f_eta = azimuth_frequency_hz(line, p.azimuth_bins, p.prf_hz, p.doppler_centroid_hz);
        const double f_tau = range_frequency_hz(bin, p.fft_length, p.sample_rate_hz);
        if (!frequencies_exist(f_tau, f_eta, p.velocity_m_s, p.carrier_hz)) return {0, 0};
        const Complex<Real> phasor =
            unit_phasor<Real>(secondary_range_cycles(p.reference_range_m, f_tau, f_eta, p.velocity_m_s, p.carrier_hz));
        return static_cast<Real>(1.0 / static_cast<double>(p.fft_length)) * phasor;
    }
};

template <class Real, class Tables>
auto SecondaryRangeCompression::hooks(const Tables&) const {
    return SecondaryRangeCompressionHooks<Real>{*this};
}

}  // namespace cornerturn
