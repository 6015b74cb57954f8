// SPDX-License-Identifier: Apache-2.0
// Chirp scaling, and compression of what it leaves, in the range-Doppler domain: x a weak chirp over range, which moves
// the trajectories of all ranges until they are parallel to that of the reference range -> range FFT -> matched filter
// of the new rate, secondary range compression and bulk range cell migration correction -> inverse FFT -> store x
// azimuth matched filter and what scaling left of phase (Cumming & Wong 2005, sec. 7.3 to 7.5). Rows are azimuth bins.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "kernels/math/frequency.h"
#include "kernels/math/phasor.h"
#include "kernels/math/powers.h"
#include "kernels/passes/line_pass.h"
#include "kernels/passes/tables.h"

namespace cornerturn {

/// What is done at each azimuth bin; zeros where nothing is processed.
struct ScaledLaws {
    /// Of each polynomial: enough for a swath from a range to five times as far, and so few that what evaluates them
    /// needs no loop.
    static constexpr int terms = 16;
    struct WeakChirp {
        double pivot_sample = 0;  ///< stays as it is
        double cycles = 0;        ///< of the square of the samples from there
    };
    std::vector<WeakChirp> scaling;
    /// Cycles that the matched filter of the chirp as sent lacks, in x = range frequency / (sample rate / 2),
    /// [bin][power].
    std::vector<double> filter_cycles;
    /// Phase and amplitude that a column gets, in y from -1 at the first to 1 at the last, [bin][power].
    std::vector<double> image_cycles, image_gain;
};

template <class Real>
struct ScaledCompressionHooks;

/// in: azimuth_bins x samples, native, range-Doppler domain. out: azimuth_bins x columns, native: spectra of the
/// image's columns.
struct ScaledCompression {
    static constexpr Transforms transforms = Transforms::both;
    static constexpr bool reads_echo = false;
    static constexpr std::string_view title = "chirp scaling and compression";

    std::int64_t azimuth_bins = 0;
    std::int64_t samples = 0;
    std::int64_t fft_length = 0;
    std::int64_t columns = 0;  ///< image range columns

    std::function<ScaledLaws()> laws;
    std::vector<Interval> covered_columns;  ///< of each bin; empty where nothing is processed
    /// Makes fft_length values: matched filter of the chirp as sent, with 1/fft_length of the inverse.
    std::function<std::vector<std::complex<double>>()> filter;

    LineShape shape() const { return {azimuth_bins, samples, fft_length, columns}; }
    template <class Real, class Tables>
    ScaledCompressionHooks<Real> hooks(const Tables& tables) const;
};

template <class Real>
struct ScaledCompressionHooks {
    static constexpr int terms = ScaledLaws::terms;
    std::int64_t fft_length;
    double bin_step, column_step;  ///< of x, of y
    const ScaledLaws::WeakChirp* scaling;
    const double *filter_cycles, *image_cycles;
    const Real* image_gain;
    const Interval* covered_columns;
    const Complex<Real>* response;

    struct Line {
        std::int64_t fft_length;
        double bin_step, column_step;
        ScaledLaws::WeakChirp scaling;
        Powers<double, terms> filter_cycles, image_cycles;
        Powers<Real, terms> image_gain;
        const Complex<Real>* response;

        CT_HOST_DEVICE Complex<Real> before(std::int64_t sample) const {
            const double from_pivot = static_cast<double>(sample) - scaling.pivot_sample;
            return unit_phasor<Real>(scaling.cycles * from_pivot * from_pivot);
        }
        CT_HOST_DEVICE Complex<Real> filter(std::int64_t bin) const {
            return response[bin] * unit_phasor<Real>(filter_cycles(signed_bin(bin, fft_length) * bin_step));
        }
        CT_HOST_DEVICE Complex<Real> scale(std::int64_t column) const {
            const double y = static_cast<double>(column) * column_step - 1.0;
            return image_gain(static_cast<Real>(y)) * unit_phasor<Real>(image_cycles(y));
        }
    };
    CT_HOST_DEVICE Line of_line(std::int64_t line) const {
        return {.fft_length = fft_length,
                .bin_step = bin_step,
                .column_step = column_step,
                .scaling = scaling[line],
                .filter_cycles = Powers<double, terms>(filter_cycles + line * terms),
                .image_cycles = Powers<double, terms>(image_cycles + line * terms),
                .image_gain = Powers<Real, terms>(image_gain + line * terms),
                .response = response};
    }
    CT_HOST_DEVICE Interval covered(std::int64_t line) const { return covered_columns[line]; }
};

template <class Real, class Tables>
ScaledCompressionHooks<Real> ScaledCompression::hooks(const Tables& tables) const {
    ScaledLaws made = laws();
    return {.fft_length = fft_length,
            .bin_step = 2.0 / static_cast<double>(fft_length),
            .column_step = columns > 1 ? 2.0 / static_cast<double>(columns - 1) : 0.0,
            .scaling = tables(std::move(made.scaling), "the chirps of scaling"),
            .filter_cycles = tables(std::move(made.filter_cycles), "the filters of scaled chirps"),
            .image_cycles = tables(std::move(made.image_cycles), "the azimuth filters"),
            .image_gain = tables(std::vector<Real>(made.image_gain.begin(), made.image_gain.end()),
                                 "the gains of azimuth filters"),
            .covered_columns = tables(covered_columns, "the covered columns"),
            .response = tables(as_complex<Real>(filter()), "the range filter")};
}

}  // namespace cornerturn
