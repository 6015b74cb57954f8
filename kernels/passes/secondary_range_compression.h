// SPDX-License-Identifier: Apache-2.0
// Secondary range compression in the 2-D frequency domain, for scenes whose coupling changes too much over the Doppler
// band to sit in the range filter. Rows are azimuth bins: range FFT -> coupling phase at this Doppler frequency ->
// inverse FFT.
#pragma once

#include <vector>

#include "kernels/math/frequency.h"
#include "kernels/math/phasor.h"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

template <class Real>
struct SecondaryRangeCompressionHooks;

/// in and out: azimuth_bins x range_cells, native; may be the same matrix.
struct SecondaryRangeCompression {
    static constexpr Transforms transforms = Transforms::both;
    static constexpr bool reads_echo = false;
    static constexpr std::string_view title = "secondary range compression";

    std::int64_t azimuth_bins = 0;
    std::int64_t range_cells = 0;
    std::int64_t fft_length = 0;
    double sample_rate_hz = 0;
    /// What the echo's phase lacks beyond its constant and linear part in range frequency, as polynomials in x =
    /// frequency / half_hz of each azimuth bin, in cycles: [bin][power 2, 3, ...]. Zeros where nothing is processed.
    std::int64_t terms = 0;
    double half_hz = 1;
    std::vector<double> powers;

    LineShape shape() const { return {azimuth_bins, range_cells, fft_length, range_cells}; }
    template <class Real, class Tables>
    SecondaryRangeCompressionHooks<Real> hooks(const Tables& tables) const {
        return {fft_length, sample_rate_hz, half_hz, terms, tables(powers, "the coupling of range and azimuth")};
    }
};

template <class Real>
struct SecondaryRangeCompressionHooks {
    std::int64_t fft_length;
    double sample_rate_hz, half_hz;
    std::int64_t terms;
    const double* powers;

    CT_HOST_DEVICE Complex<Real> filter(std::int64_t line, std::int64_t bin) const {
        const double x = range_frequency_hz(bin, fft_length, sample_rate_hz) / half_hz;
        const double* of_bin = powers + line * terms;
        double cycles = 0;
        for (std::int64_t k = terms; k-- > 0;) cycles = cycles * x + of_bin[k];
        return static_cast<Real>(1.0 / static_cast<double>(fft_length)) * unit_phasor<Real>(cycles * x * x);
    }
};

}  // namespace cornerturn
