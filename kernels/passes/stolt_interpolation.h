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
    /// Of each polynomial: enough for bands of half the carrier, where eight of an amplitude err by 3e-5, and so few
    /// that what evaluates them needs no loop.
    static constexpr int terms = 16, gain_terms = 8;
    /// Reference function: cycles that the echo of the reference range lacks, in x = range frequency / half_hz,
    /// [law][power].
    double half_hz = 1;
    std::vector<double> reference_cycles;
    /// Band of the new range frequencies, which are those of the image less the bin's at the carrier; in y = (frequency
    /// - centre) / half, [law][power]: the range frequency that each was before, less than the sample rate, and the
    /// amplitude it gets.
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
    /// Places in a band of bins counted from frequency 0.
    struct Places {
        double per_bin, of_bin_0;
    };
    std::int64_t fft_length;
    double reference_places_per_bin, cycles_per_bin;
    const double* reference_cycles;
    const Places* places;
    const double* source_bins;
    const Real* gain;
    const Interval* covered_columns;
    const std::int32_t* second;  ///< nullptr: none

    /// Powers of a frequency's place in a band; nothing is kept of those outside.
    struct Line {
        std::int64_t fft_length;
        double x_per_bin, cycles_per_bin;
        Places y;
        Powers<double, StoltLaws::terms> reference_cycles, source_bin;
        Powers<Real, StoltLaws::gain_terms> gain;

        CT_HOST_DEVICE Complex<Real> filter(std::int64_t bin) const {
            const double x = signed_bin(bin, fft_length) * x_per_bin;
            const Real inside = std::fabs(x) <= 1.0 ? Real{1} : Real{0};
            return inside * unit_phasor<Real>(reference_cycles(inside > 0 ? x : 0.0));
        }
        CT_HOST_DEVICE SpectrumPlace<Real> place(std::int64_t bin) const {
            const double number = signed_bin(bin, fft_length), at_bin = number * y.per_bin + y.of_bin_0;
            const Real inside = std::fabs(at_bin) <= 1.0 ? Real{1} : Real{0};
            const double at = inside > 0 ? at_bin : 0.0, source = source_bin(at);
            return {source < 0 ? source + static_cast<double>(fft_length) : source,
                    inside * gain(static_cast<Real>(at)) * unit_phasor<Real>(number * cycles_per_bin)};
        }
    };
    CT_HOST_DEVICE Line of_line(std::int64_t line) const {
        constexpr int terms = StoltLaws::terms, gain_terms = StoltLaws::gain_terms;
        return {.fft_length = fft_length,
                .x_per_bin = reference_places_per_bin,
                .cycles_per_bin = cycles_per_bin,
                .y = places[line],
                .reference_cycles = Powers<double, terms>(reference_cycles + line * terms),
                .source_bin = Powers<double, terms>(source_bins + line * terms),
                .gain = Powers<Real, gain_terms>(gain + line * gain_terms)};
    }
    CT_HOST_DEVICE Interval covered(std::int64_t line) const { return covered_columns[line]; }
    CT_HOST_DEVICE std::int64_t again(std::int64_t line) const { return second == nullptr ? -1 : second[line]; }
};

template <class Real, class Tables>
StoltInterpolationHooks<Real> StoltInterpolation::hooks(const Tables& tables) const {
    StoltLaws made = laws();
    const double hz_per_bin = sample_rate_hz / static_cast<double>(fft_length);
    std::vector<typename StoltInterpolationHooks<Real>::Places> places;
    for (const StoltLaws::Band& band : made.bands)
        places.push_back({hz_per_bin / band.half_hz, -band.centre_hz / band.half_hz});
    for (double& power : made.source_hz) power /= hz_per_bin;
    std::vector<Real> gain;  // with the 1 / length of the inverse transform
    for (const double power : made.gain) gain.push_back(static_cast<Real>(power / static_cast<double>(fft_length)));
    return {.fft_length = fft_length,
            .reference_places_per_bin = hz_per_bin / made.half_hz,
            .cycles_per_bin = -hz_per_bin * reference_delay_s,
            .reference_cycles = tables(std::move(made.reference_cycles), "the reference function"),
            .places = tables(std::move(places), "the bands of the Stolt interpolation"),
            .source_bins = tables(std::move(made.source_hz), "the Stolt interpolation"),
            .gain = tables(std::move(gain), "the gains of the Stolt interpolation"),
            .covered_columns = tables(covered_columns, "the covered columns"),
            .second = again.empty() ? nullptr : tables(again, "the second laws of bins")};
}

}  // namespace cornerturn
