// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/range_filter.h"

#include <algorithm>
#include <cmath>

#include "kernels/fast_length.h"
#include "kernels/frequency.h"
#include "kernels/host/fftw.h"
#include "kernels/phasor.h"

namespace cornerturn {
namespace {

std::complex<double> chirp_value(const Chirp& chirp, double t, double doppler_hz) {
    const double centred = t - chirp.duration_s / 2;
    return std_phasor(chirp.slope_hz_s * centred * centred / 2 + doppler_hz * t);
}

std::vector<std::complex<double>> replica_spectrum(const Chirp& chirp, double sample_rate_hz, std::int64_t length,
                                                   double doppler_hz) {
    LineBuffer<double> samples(length);
    std::fill_n(samples.data(), length, Complex128{0, 0});
    for (std::size_t k = 0; k < chirp.replica.size(); ++k) {
        const auto value =
            std::complex<double>(chirp.replica[k]) * std_phasor(doppler_hz * static_cast<double>(k) / sample_rate_hz);
        Complex128& sum = samples.data()[static_cast<std::int64_t>(k) % length];
        sum = sum + Complex128{value.real(), value.imag()};
    }
    LineFft<double>(length, FftDirection::forward)(samples.data());
    std::vector<std::complex<double>> spectrum;
    for (std::int64_t bin = 0; bin < length; ++bin)
        spectrum.emplace_back(samples.data()[bin].re, samples.data()[bin].im);
    return spectrum;
}

}  // namespace

std::vector<std::complex<double>> chirp_spectrum(const Chirp& chirp, double sample_rate_hz, std::int64_t length,
                                                 double doppler_hz) {
    if (!chirp.replica.empty()) return replica_spectrum(chirp, sample_rate_hz, length, doppler_hz);
    // Trapezoidal rule on a grid 16 times as fine as the samples, the last, partial step added by hand.
    constexpr std::int64_t refinement = 16;
    const double step_s = 1.0 / (refinement * sample_rate_hz);
    const auto last = static_cast<std::int64_t>(std::floor(chirp.duration_s / step_s));
    const double rest_s = chirp.duration_s - static_cast<double>(last) * step_s;
    LineBuffer<double> fine(refinement * length);
    for (std::int64_t n = 0; n < refinement * length; ++n) {
        const double weight = n > last ? 0.0 : n == 0 ? 0.5 : n == last ? 0.5 + 0.5 * rest_s / step_s : 1.0;
        const auto value =
            weight == 0 ? 0.0 : weight * step_s * chirp_value(chirp, static_cast<double>(n) * step_s, doppler_hz);
        fine.data()[n] = {value.real(), value.imag()};
    }
    LineFft<double>(refinement * length, FftDirection::forward)(fine.data());

    const auto end = 0.5 * rest_s * chirp_value(chirp, chirp.duration_s, doppler_hz);
    std::vector<std::complex<double>> spectrum;
    for (std::int64_t bin = 0; bin < length; ++bin) {
        const double f = range_frequency_hz(bin, length, sample_rate_hz);
        const Complex128 sum = fine.data()[f < 0 ? bin + (refinement - 1) * length : bin];
        spectrum.push_back(sample_rate_hz *
                           (std::complex<double>(sum.re, sum.im) + end * std_phasor(-f * chirp.duration_s)));
    }
    return spectrum;
}

std::vector<std::complex<double>> range_filter(const Chirp& chirp, double sample_rate_hz, std::int64_t length,
                                               std::int64_t reach, const Window& window,
                                               const std::function<std::complex<double>(double)>& correction,
                                               double doppler_hz) {
    // The filter without end, on a grid of its own: its taps must not depend on the length of the transform that
    // applies them.
    const auto pulse = static_cast<std::int64_t>(std::ceil(chirp.duration_s * sample_rate_hz));
    const std::int64_t design = fast_length(4 * (pulse + 2 * reach));
    const auto spectrum = chirp_spectrum(chirp, sample_rate_hz, design, doppler_hz);
    LineBuffer<double> taps(design);
    double window_sum = 0;
    for (std::int64_t bin = 0; bin < design; ++bin) {
        const double f = range_frequency_hz(bin, design, sample_rate_hz),
                     weight = window((f - doppler_hz) / chirp.bandwidth_hz());
        const auto s = spectrum[static_cast<std::size_t>(bin)];
        const auto value = weight == 0 ? 0.0 : weight * std::conj(s) / std::norm(s) * correction(f);
        taps.data()[bin] = {value.real(), value.imag()};
        window_sum += weight;
    }
    LineFft<double>(design, FftDirection::inverse)(taps.data());

    // A matched filter runs backwards in time: from the end of the chirp at -pulse to its start at 0.
    LineBuffer<double> finite(length);
    std::fill_n(finite.data(), length, Complex128{0, 0});
    for (std::int64_t n = -pulse - reach; n <= reach; ++n) {
        const std::int64_t beyond = std::max({n, -pulse - n, std::int64_t{0}});
        const double weight = fade_out(2.0 * static_cast<double>(beyond) / static_cast<double>(reach + 1) - 1.0);
        Complex128& tap =
            finite.data()[(n % length + length) % length];  // wraps where a transform is shorter than the filter
        tap = tap + weight / (window_sum * static_cast<double>(length)) * taps.data()[(n + design) % design];
    }
    LineFft<double>(length, FftDirection::forward)(finite.data());
    std::vector<std::complex<double>> filter;
    for (std::int64_t bin = 0; bin < length; ++bin) filter.emplace_back(finite.data()[bin].re, finite.data()[bin].im);
    return filter;
}

}  // namespace cornerturn
