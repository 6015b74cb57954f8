// SPDX-License-Identifier: Apache-2.0
// The heart of omega-K, in the 2-D frequency domain (Cumming & Wong 2005, sec. 8.3, 8.4): range FFT x reference
// function -> Stolt interpolation along range frequency -> inverse FFT. Rows are azimuth bins.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "kernels/math/frequency.h"
#include "kernels/math/interpolation.h"
#include "kernels/math/phasor.h"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

/// What is done at each Doppler frequency, as polynomials, whatever the geometry that they come from. Nothing is kept
/// of frequencies outside. First those of the azimuth bins; behind them those of bins that are a second Doppler
/// frequency, a PRF away, to other columns.
struct StoltLaws {
    /// Of each polynomial: enough for bands of half the carrier, and so few that what evaluates them needs no loop.
    static constexpr int terms = 16;
    /// Reference function: cycles that the echo of the reference range lacks, in x = range frequency / half_hz,
    /// [law][power].
    double half_hz = 1;
    std::vector<double> reference_cycles;
    /// Band of the new range frequencies, which are those of the image less the bin's at the carrier; in y = (frequency
    /// - centre) / half, [law][power]: the range frequency that each was before, and the amplitude it gets.
    struct Band {
        double centre_hz = 0, half_hz = 1;
    };
    std::vector<Band> bands;
    std::vector<double> source_hz, gain;
};

template <class Real>
struct StoltInterpolationHooks;

/// in: azimuth_bins x samples, native, range-Doppler domain. out: azimuth_bins x columns, native, likewise: the
/// trajectories lie along columns then, the same chirp in azimuth left in each as its range gives it.
struct StoltInterpolation {
    static constexpr Transforms transforms = Transforms::both;
    static constexpr bool reads_echo = false;
    static constexpr std::string_view title = "Stolt interpolation";

    std::int64_t azimuth_bins = 0;
    std::int64_t samples = 0;
    std::int64_t fft_length = 0;
    std::int64_t columns = 0;
    double sample_rate_hz = 0;
    double reference_delay_s = 0;  ///< from column 0 to where the reference range comes to lie
    /// Makes the laws; of bins that are not processed they may be zeros.
    std::function<StoltLaws()> laws;
    std::vector<Interval>
        covered_columns;              ///< of each law: whose Doppler frequency it is; columns of no law are set to zero
    std::vector<std::int32_t> again;  ///< of each bin the other law, or -1; empty: no bin has one
    SincKernel kernel;                ///< along range frequency, for how much of the transform the swath fills

    LineShape shape() const { return {azimuth_bins, samples, fft_length, columns}; }
    template <class Real, class Tables>
    StoltInterpolationHooks<Real> hooks(const Tables& tables) const;
};

template <class Real>
struct StoltInterpolationHooks {
    std::int64_t fft_length;
    double sample_rate_hz, reference_delay_s, half_hz;
    const double* reference_cycles;
    const StoltLaws::Band* bands;
    const double *source_hz, *gain;
    const Interval* covered_columns;
    const std::int32_t* second;  ///< nullptr: none

    CT_HOST_DEVICE static double polynomial(const double* laws, std::int64_t line, double x) {
        const double* powers = laws + line * StoltLaws::terms;
        double value = powers[StoltLaws::terms - 1];
        for (int k = StoltLaws::terms - 1; k-- > 0;) value = value * x + powers[k];
        return value;
    }

    CT_HOST_DEVICE Complex<Real> filter(std::int64_t line, std::int64_t bin) const {
        const double x = range_frequency_hz(bin, fft_length, sample_rate_hz) / half_hz;
        const Real inside = std::fabs(x) <= 1.0 ? Real{1} : Real{0};
        return inside * unit_phasor<Real>(polynomial(reference_cycles, line, inside > 0 ? x : 0.0));
    }
    CT_HOST_DEVICE SpectrumPlace<Real> place(std::int64_t line, std::int64_t bin) const {
        const double frequency_hz = range_frequency_hz(bin, fft_length, sample_rate_hz);
        const StoltLaws::Band band = bands[line];
        const double y = (frequency_hz - band.centre_hz) / band.half_hz;
        const double inside = std::fabs(y) <= 1.0 ? 1.0 : 0.0, at = inside > 0 ? y : 0.0;
        const auto length = static_cast<double>(fft_length);
        const double source = polynomial(source_hz, line, at) * (length / sample_rate_hz);
        const double amplitude = inside / length * polynomial(gain, line, at);
        return {source - length * std::floor(source / length),
                static_cast<Real>(amplitude) * unit_phasor<Real>(-frequency_hz * reference_delay_s)};
    }
    CT_HOST_DEVICE Interval covered(std::int64_t line) const { return covered_columns[line]; }
    CT_HOST_DEVICE std::int64_t again(std::int64_t line) const { return second == nullptr ? -1 : second[line]; }
};

template <class Real, class Tables>
StoltInterpolationHooks<Real> StoltInterpolation::hooks(const Tables& tables) const {
    StoltLaws made = laws();
    return {.fft_length = fft_length,
            .sample_rate_hz = sample_rate_hz,
            .reference_delay_s = reference_delay_s,
            .half_hz = made.half_hz,
            .reference_cycles = tables(std::move(made.reference_cycles), "the reference function"),
            .bands = tables(std::move(made.bands), "the bands of the Stolt interpolation"),
            .source_hz = tables(std::move(made.source_hz), "the Stolt interpolation"),
            .gain = tables(std::move(made.gain), "the gains of the Stolt interpolation"),
            .covered_columns = tables(covered_columns, "the covered columns"),
            .second = again.empty() ? nullptr : tables(again, "the second laws of bins")};
}

}  // namespace cornerturn
