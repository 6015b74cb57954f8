// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/range_filter.h"

#include <algorithm>
#include <cmath>

#include "kernels/host/line_fft.h"
#include "kernels/math/fast_length.h"
#include "kernels/math/frequency.h"
#include "kernels/math/phasor.h"
#include "pipeline/formers/response_width.h"

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

/// Powers of the spectrum below which it is not made flat: of a replica, whose edges may be weak. The spectrum of a
/// chirp that follows from slope and duration has none in its band.
class Floor {
public:
    Floor(const Chirp& chirp, const std::vector<std::complex<double>>& spectrum, double sample_rate_hz,
          double doppler_hz) {
        if (chirp.replica.empty()) return;
        double power = 0, bins = 0;
        for (std::size_t bin = 0; bin < spectrum.size(); ++bin) {
            const double f = range_frequency_hz(static_cast<std::int64_t>(bin),
                                                static_cast<std::int64_t>(spectrum.size()), sample_rate_hz);
            if (std::abs(f - doppler_hz) > 0.5 * chirp.bandwidth_hz()) continue;
            power += std::norm(spectrum[bin]);
            ++bins;
        }
        if (bins > 0) least_ = power / bins / most_noise_gain;
    }
    /// The power that a bin with this weight is divided by.
    double under(double power, double weight) const { return std::max(power, weight * weight * least_); }

private:
    double least_ = 0;
};

}  // namespace

double widened_by_floor(const Chirp& chirp, double sample_rate_hz, const Window& window) {
    if (chirp.replica.empty() || chirp.compressed()) return 0;
    const std::int64_t length = fast_length(2 * static_cast<std::int64_t>(chirp.replica.size()));
    const auto spectrum = chirp_spectrum(chirp, sample_rate_hz, length);
    const Floor floor(chirp, spectrum, sample_rate_hz, 0);
    std::vector<std::complex<double>> flat, taken;
    for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t bin = (i + (length + 1) / 2) % length;  // from the lowest frequency on
        const double weight = window(range_frequency_hz(bin, length, sample_rate_hz) / chirp.bandwidth_hz()),
                     power = std::norm(spectrum[static_cast<std::size_t>(bin)]);
        if (weight == 0) continue;
        flat.push_back(weight);
        taken.push_back(power > 0 ? weight * power / floor.under(power, weight) : 0.0);
    }
    return response_of(taken).width / response_of(flat).width - 1;
}

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
    const Floor floor(chirp, spectrum, sample_rate_hz, doppler_hz);
    LineBuffer<double> taps(design);
    const double middle_hz = chirp.compressed() ? 0 : doppler_hz;  // of the band: what is compressed, nothing moves
    double window_sum = 0;
    for (std::int64_t bin = 0; bin < design; ++bin) {
        const double f = range_frequency_hz(bin, design, sample_rate_hz),
                     weight = window((f - middle_hz) / chirp.bandwidth_hz());
        const auto s = spectrum[static_cast<std::size_t>(bin)];
        const double power = std::norm(s), divisor = floor.under(power, weight);
        const auto value = weight == 0 || divisor == 0 ? 0.0 : weight * std::conj(s) / divisor * correction(f);
        taps.data()[bin] = {value.real(), value.imag()};
        if (power > 0) window_sum += weight * (power / divisor);
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
