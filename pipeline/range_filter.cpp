// SPDX-License-Identifier: Apache-2.0
#include "pipeline/range_filter.h"

#include <cmath>

#include "kernels/cpu/fftw.h"
#include "kernels/hyperbola.h"
#include "kernels/phasor.h"

namespace cornerturn {
namespace {

std::complex<double> phasor(double cycles) {
    const Complex128 p = unit_phasor<double>(cycles);
    return {p.re, p.im};
}

std::complex<double> chirp_value(const Chirp& chirp, double t) {
    const double centred = t - chirp.duration_s / 2;
    return phasor(chirp.slope_hz_s * centred * centred / 2);
}

}  // namespace

std::vector<std::complex<double>> chirp_spectrum(const Chirp& chirp, double sample_rate_hz, std::int64_t length) {
    // Trapezoidal rule on a grid 16 times as fine as the samples, the last, partial step added by hand.
    constexpr std::int64_t refinement = 16;
    const double step_s = 1.0 / (refinement * sample_rate_hz);
    const auto last = static_cast<std::int64_t>(std::floor(chirp.duration_s / step_s));
    const double rest_s = chirp.duration_s - static_cast<double>(last) * step_s;
    LineBuffer<double> fine(refinement * length);
    for (std::int64_t n = 0; n < refinement * length; ++n) {
        const double weight = n > last ? 0.0 : n == 0 ? 0.5 : n == last ? 0.5 + 0.5 * rest_s / step_s : 1.0;
        const auto value = weight == 0 ? 0.0 : weight * step_s * chirp_value(chirp, static_cast<double>(n) * step_s);
        fine.data()[n] = {value.real(), value.imag()};
    }
    LineFft<double>(refinement * length, FftDirection::forward)(fine.data());

    const auto end = 0.5 * rest_s * chirp_value(chirp, chirp.duration_s);
    std::vector<std::complex<double>> spectrum;
    for (std::int64_t bin = 0; bin < length; ++bin) {
        const double f = range_frequency_hz(bin, length, sample_rate_hz);
        const Complex128 sum = fine.data()[f < 0 ? bin + (refinement - 1) * length : bin];
        spectrum.push_back(sample_rate_hz * (std::complex<double>(sum.re, sum.im) + end * phasor(-f * chirp.duration_s)));
    }
    return spectrum;
}

std::vector<std::complex<double>> range_filter(const Chirp& chirp, double sample_rate_hz, std::int64_t length, const Window& window,
                                               const std::function<std::complex<double>(double)>& correction) {
    const auto spectrum = chirp_spectrum(chirp, sample_rate_hz, length);
    std::vector<std::complex<double>> filter(spectrum.size());
    double window_sum = 0;
    for (std::size_t bin = 0; bin < filter.size(); ++bin) {
        const double f = range_frequency_hz(static_cast<std::int64_t>(bin), length, sample_rate_hz);
        const double weight = window(f / chirp.bandwidth_hz());
        if (weight == 0) continue;
        window_sum += weight;
        filter[bin] = weight * std::conj(spectrum[bin]) / std::norm(spectrum[bin]) * correction(f);
    }
    for (auto& value : filter) value /= window_sum;
    return filter;
}

}  // namespace cornerturn
