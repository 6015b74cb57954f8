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
#include "kernels/math/powers.h"
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
    const double* source_hz;
    const Real* gain;
    const Interval* covered_columns;
    const std::int32_t* second;  ///< nullptr: none

    /// Powers of a frequency's place in a band; nothing is kept of those outside.
    struct Line {
        static constexpr int terms = StoltLaws::terms;
        std::int64_t fft_length;
        double hz_per_bin, per_half_hz, centre_hz, per_half_band_hz, bins_per_hz, per_bin, reference_delay_s;
        Powers<double, terms> reference_cycles, source_hz;
        Powers<Real, terms> gain;

        CT_HOST_DEVICE Complex<Real> filter(std::int64_t bin) const {
            const double x = signed_bin(bin, fft_length) * hz_per_bin * per_half_hz;
            const Real inside = std::fabs(x) <= 1.0 ? Real{1} : Real{0};
            return inside * unit_phasor<Real>(reference_cycles(inside > 0 ? x : 0.0));
        }
        CT_HOST_DEVICE SpectrumPlace<Real> place(std::int64_t bin) const {
            const double frequency_hz = signed_bin(bin, fft_length) * hz_per_bin;
            const double y = (frequency_hz - centre_hz) * per_half_band_hz;
            const double inside = std::fabs(y) <= 1.0 ? 1.0 : 0.0, at = inside > 0 ? y : 0.0;
            const double source = source_hz(at) * bins_per_hz, length = static_cast<double>(fft_length);
            const Real amplitude = static_cast<Real>(inside * per_bin) * gain(static_cast<Real>(at));
            return {source - length * std::floor(source * per_bin),
                    amplitude * unit_phasor<Real>(-frequency_hz * reference_delay_s)};
        }
    };
    CT_HOST_DEVICE Line of_line(std::int64_t line) const {
        constexpr int terms = StoltLaws::terms;
        const auto length = static_cast<double>(fft_length);
        const StoltLaws::Band band = bands[line];
        return {.fft_length = fft_length,
                .hz_per_bin = sample_rate_hz / length,
                .per_half_hz = 1.0 / half_hz,
                .centre_hz = band.centre_hz,
                .per_half_band_hz = 1.0 / band.half_hz,
                .bins_per_hz = length / sample_rate_hz,
                .per_bin = 1.0 / length,
                .reference_delay_s = reference_delay_s,
                .reference_cycles = Powers<double, terms>(reference_cycles + line * terms),
                .source_hz = Powers<double, terms>(source_hz + line * terms),
                .gain = Powers<Real, terms>(gain + line * terms)};
    }
    CT_HOST_DEVICE Interval covered(std::int64_t line) const { return covered_columns[line]; }
    CT_HOST_DEVICE std::int64_t again(std::int64_t line) const { return second == nullptr ? -1 : second[line]; }
};

template <class Real, class Tables>
StoltInterpolationHooks<Real> StoltInterpolation::hooks(const Tables& tables) const {
    StoltLaws made = laws();
    return {
        .fft_length = fft_length,
        .sample_rate_hz = sample_rate_hz,
        .reference_delay_s = reference_delay_s,
        .half_hz = made.half_hz,
        .reference_cycles = tables(std::move(made.reference_cycles), "the reference function"),
        .bands = tables(std::move(made.bands), "the bands of the Stolt interpolation"),
        .source_hz = tables(std::move(made.source_hz), "the Stolt interpolation"),
        .gain = tables(std::vector<Real>(made.gain.begin(), made.gain.end()), "the gains of the Stolt interpolation"),
        .covered_columns = tables(covered_columns, "the covered columns"),
        .second = again.empty() ? nullptr : tables(again, "the second laws of bins")};
}

}  // namespace cornerturn
