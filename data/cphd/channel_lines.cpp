// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/channel_lines.h"

#include <algorithm>
#include <cmath>

#include "kernels/math/fast_length.h"

namespace cornerturn::cphd {
namespace {

constexpr std::int64_t margin = 64;      // samples of a filter's reach
constexpr double samples_per_bin = 1.3;  // lines that the band fills so far are fine enough for four cells a sample

}  // namespace

ChannelLines::ChannelLines(const Spectra& spectra, std::vector<Pulse> pulses, std::vector<double> delays_s, int sign)
    : spectra_(spectra), pulses_(std::move(pulses)), delays_s_(std::move(delays_s)), sign_(sign) {
    const double step_hz = spectra_.step_hz();
    double lowest_hz = INFINITY, highest_hz = -INFINITY, from_s = INFINITY, to_s = -INFINITY;
    for (const Pulse& pulse : pulses_) {
        const Bins bins = spectra_.bins_of(pulse);
        lowest_hz = std::min(lowest_hz, bins.first_hz - 0.5 * step_hz);
        highest_hz = std::max(highest_hz, bins.first_hz + (static_cast<double>(bins.count) - 0.5) * step_hz);
        from_s = std::min(from_s, pulse.first_arrival_s);
        to_s = std::max(to_s, pulse.last_arrival_s);
    }
    carrier_hz_ = 0.5 * (lowest_hz + highest_hz);
    bandwidth_hz_ = highest_hz - lowest_hz;
    length_ = fast_length(static_cast<std::int64_t>(std::ceil(samples_per_bin * bandwidth_hz_ / step_hz)));
    sample_rate_hz_ = static_cast<double>(length_) * step_hz;
    // A window follows each pulse's point of reference: what TOA1 to TOA2 of all pulses span, and a filter's length
    // beside it, as far as samples over frequency tell times of arrival apart.
    const double most_s = 0.5 / step_hz;
    from_s = std::max(from_s, -most_s), to_s = std::min(to_s, most_s);
    window_samples_ = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::ceil((to_s - from_s) * sample_rate_hz_)) + 1 + 2 * margin, 1, length_);
    window_s_ = 0.5 * (from_s + to_s) - 0.5 * static_cast<double>(window_samples_ - 1) / sample_rate_hz_;
    inverse_.emplace(length_, FftDirection::inverse);
}

Windows ChannelLines::following() const {
    const double least_s = *std::min_element(delays_s_.begin(), delays_s_.end());
    Windows windows{.samples = window_samples_,
                    .first_s = least_s + window_s_,
                    .opens_s = {},
                    .first = std::vector<std::int64_t>(pulses_.size())};
    for (const double delay_s : delays_s_) windows.opens_s.push_back(delay_s - least_s);
    return windows;
}

double ChannelLines::samples_on_one_axis() const {
    const auto [least_s, most_s] = std::minmax_element(delays_s_.begin(), delays_s_.end());
    return static_cast<double>(window_samples_ + 1) + (*most_s - *least_s) * sample_rate_hz_;
}

Windows ChannelLines::on_one_axis() const {
    const double least_s = *std::min_element(delays_s_.begin(), delays_s_.end());
    Windows windows{.samples = static_cast<std::int64_t>(samples_on_one_axis()),
                    .first_s = least_s + window_s_,
                    .opens_s = {},
                    .first = {}};
    for (const double delay_s : delays_s_)
        windows.first.push_back(static_cast<std::int64_t>(std::ceil((delay_s - least_s) * sample_rate_hz_)));
    return windows;
}

/// The bin at the frequency f of what comes `toa` after the point of reference, whose own delay is `delay`, adds at the
/// delay t, theta = t - delay:
///     exp(-j 2 pi f toa) exp(j 2 pi (f - f_0) theta) exp(-j 2 pi f_0 delay)
/// Over t it peaks at delay + toa, there with the phase -2 pi f_0 (delay + toa).
void ChannelLines::read(const Windows& windows, std::int64_t line, Spectra::Work& work, LineBuffer<float>& buffer,
                        Complex<float>* to) const {
    const auto at = static_cast<std::size_t>(line);
    const Pulse& pulse = pulses_[at];
    const Bins bins = spectra_.bins_of(pulse);
    const double step_hz = spectra_.step_hz(), delay_s = delays_s_[at], off_hz = bins.first_hz - carrier_hz_;
    const std::int64_t first = windows.first[at], count = std::min(window_samples_, windows.samples - first);
    const double theta_s = windows.first_s + (windows.opens_s.empty() ? 0.0 : windows.opens_s[at]) +
                           static_cast<double>(first) / sample_rate_hz_ - delay_s;
    std::fill_n(to, windows.samples, Complex<float>{0, 0});
    std::fill_n(buffer.data(), length_, Complex<float>{0, 0});
    std::vector<Complex<float>> spectrum(static_cast<std::size_t>(bins.count));
    spectra_.read(pulse, sign_, work, spectrum.data());
    turn(spectrum.data(), bins.count, off_hz * theta_s - carrier_hz_ * delay_s, step_hz * theta_s);
    // Of a narrower band than that of all pulses a point is as strong.
    const auto scale = static_cast<float>(bandwidth_hz_ / step_hz / static_cast<double>(bins.count * length_));
    const auto first_bin = static_cast<std::int64_t>(std::llround(off_hz / step_hz));
    for (std::int64_t i = 0; i < bins.count; ++i)
        buffer.data()[((first_bin + i) % length_ + length_) % length_] = scale * spectrum[static_cast<std::size_t>(i)];
    (*inverse_)(buffer.data());
    for (std::int64_t i = 0; i < count; ++i) to[first + i] = buffer.data()[i % length_];
    turn(to + first, count, 0, (off_hz - static_cast<double>(first_bin) * step_hz) / sample_rate_hz_);
}

}  // namespace cornerturn::cphd
