// SPDX-License-Identifier: Apache-2.0
// Time-domain back-projection: the reference that shares no FFT and no filter with the frequency-domain chains.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/hyperbola.h"
#include "kernels/phasor.h"

namespace cornerturn {

/// A small patch of the image and the signal model (DESIGN §2) by which it is correlated with the raw echo.
/// Every pixel (range_m, time_s) is the sum over lines and samples of conj(model) * echo, divided by the model's energy, so that a
/// point target of amplitude A whose every line was summed peaks at A * exp(-j 4 pi R0 / lambda).
struct BackprojectionChip {
    // the echo
    std::int64_t lines = 0;
    std::int64_t samples = 0;
    double near_range_m = 0;
    double range_spacing_m = 0;
    double first_pulse_time_s = 0;
    double prf_hz = 0;
    double carrier_hz = 0;
    double chirp_slope_hz_s = 0;
    double chirp_duration_s = 0;
    double velocity_m_s = 0;
    double doppler_low_hz = 0;   ///< lines whose instantaneous Doppler frequency lies in
    double doppler_high_hz = 0;  ///< [low, high) make the aperture
    // the patch
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    double first_time_s = 0;  ///< zero-Doppler time of row 0
    double time_spacing_s = 0;
    double first_range_m = 0;  ///< R0 of column 0
    double column_spacing_m = 0;

    CT_HOST_DEVICE double wavelength_m() const { return c_m_s / carrier_hz; }
    CT_HOST_DEVICE double pulse_time_s(std::int64_t line) const { return first_pulse_time_s + static_cast<double>(line) / prf_hz; }
};

/// Half-open range of line or sample numbers; may reach beyond the echo.
struct IndexRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// The pixel's aperture by the numbers of its lines: Doppler frequency -2/lambda dR/deta in [low, high). It falls with time.
CT_HOST_DEVICE IndexRange aperture_lines(const BackprojectionChip& chip, double range_m, double time_s) {
    const double starts = time_s + beam_time_offset_s(range_m, chip.doppler_high_hz, chip.velocity_m_s, chip.wavelength_m());
    const double ends = time_s + beam_time_offset_s(range_m, chip.doppler_low_hz, chip.velocity_m_s, chip.wavelength_m());
    return {static_cast<std::int64_t>(std::floor((starts - chip.first_pulse_time_s) * chip.prf_hz)) + 1,
            static_cast<std::int64_t>(std::floor((ends - chip.first_pulse_time_s) * chip.prf_hz)) + 1};
}

/// R(eta) of a pixel when a line is sent.
CT_HOST_DEVICE double range_at_line(const BackprojectionChip& chip, double range_m, double time_s, std::int64_t line) {
    const double along_m = chip.velocity_m_s * (chip.pulse_time_s(line) - time_s);
    return std::sqrt(range_m * range_m + along_m * along_m);
}

/// Samples of a line that the pulse covers which comes back from range R: leading edge at or before the sample, end behind it.
CT_HOST_DEVICE IndexRange pulse_samples(const BackprojectionChip& chip, double range_now_m) {
    const double leading = (range_now_m - chip.near_range_m) / chip.range_spacing_m;
    const double length = chip.chirp_duration_s * c_m_s / (2.0 * chip.range_spacing_m);
    return {static_cast<std::int64_t>(std::ceil(leading)), static_cast<std::int64_t>(std::ceil(leading + length))};
}

/// The part of a range that an echo of `count` lines or samples holds.
CT_HOST_DEVICE IndexRange recorded(IndexRange range, std::int64_t count) {
    const std::int64_t first = range.first > 0 ? range.first : 0;
    const std::int64_t last = range.last < count ? range.last : count;
    return {first, last > first ? last : first};
}

/// exp(+j 4 pi f0 (R - R0) / c): the conjugate of the model's carrier phase times the phase that the image shall carry.
CT_HOST_DEVICE Complex<double> carrier_phasor(const BackprojectionChip& chip, double range_m, double range_now_m) {
    return unit_phasor<double>(2.0 * chip.carrier_hz / c_m_s * (range_now_m - range_m));
}

/// Sum of conj(chirp) * echo over the recorded samples first + `offset` + n * `stride` + [0, Lanes) of the pulse from range R, n = 0, 1,
/// ... `echo(line, sample)` returns Complex<double>. A caller alone takes offset 0 and stride = Lanes; of a group of G threads with Lanes =
/// 1, number i takes offset i and stride G. The quadratic phase runs by p *= q, q *= r in every lane: 2000 steps cost 1e-10.
template <int Lanes, class Echo>
CT_HOST_DEVICE Complex<double> correlate_pulse(const Echo& echo, const BackprojectionChip& chip, std::int64_t line, double range_now_m,
                                               std::int64_t offset, std::int64_t stride) {
    const IndexRange covered = recorded(pulse_samples(chip, range_now_m), chip.samples);
    const double spacing_s = 2.0 * chip.range_spacing_m / c_m_s;
    const double leap_s = static_cast<double>(stride) * spacing_s;
    std::int64_t sample = covered.first + offset;
    const double start_s =
        (chip.near_range_m - range_now_m) * (2.0 / c_m_s) + static_cast<double>(sample) * spacing_s - 0.5 * chip.chirp_duration_s;
    const Complex<double> r = unit_phasor<double>(-chip.chirp_slope_hz_s * leap_s * leap_s);
    double p_re[Lanes], p_im[Lanes], q_re[Lanes], q_im[Lanes], sum_re[Lanes], sum_im[Lanes];
    for (int lane = 0; lane < Lanes; ++lane) {
        const double t = start_s + lane * spacing_s;  // since the middle of the pulse
        const Complex<double> p = unit_phasor<double>(-0.5 * chip.chirp_slope_hz_s * t * t);
        const Complex<double> q = unit_phasor<double>(-chip.chirp_slope_hz_s * leap_s * (t + 0.5 * leap_s));
        p_re[lane] = p.re, p_im[lane] = p.im, q_re[lane] = q.re, q_im[lane] = q.im;
        sum_re[lane] = sum_im[lane] = 0;
    }
    for (; sample + Lanes <= covered.last; sample += stride) {
        for (int lane = 0; lane < Lanes; ++lane) {
            const Complex<double> x = echo(line, sample + lane);
            const double pr = p_re[lane], pi = p_im[lane], qr = q_re[lane], qi = q_im[lane];
            sum_re[lane] += pr * x.re - pi * x.im;
            sum_im[lane] += pr * x.im + pi * x.re;
            p_re[lane] = pr * qr - pi * qi;
            p_im[lane] = pr * qi + pi * qr;
            q_re[lane] = qr * r.re - qi * r.im;
            q_im[lane] = qr * r.im + qi * r.re;
        }
    }
    Complex<double> sum{0, 0};
    for (int lane = 0; lane < Lanes; ++lane) {
        if (sample + lane < covered.last) {
            const Complex<double> x = echo(line, sample + lane);
            sum_re[lane] += p_re[lane] * x.re - p_im[lane] * x.im;
            sum_im[lane] += p_re[lane] * x.im + p_im[lane] * x.re;
        }
        sum.re += sum_re[lane];
        sum.im += sum_im[lane];
    }
    return sum;
}

/// Energy of the model of a pixel: one for each sample of its pulses, recorded or not. The pixel is the sum of
/// carrier_phasor * correlate_pulse over its recorded lines, divided by this.
CT_HOST_DEVICE double model_energy(const BackprojectionChip& chip, double range_m, double time_s) {
    const IndexRange lines = aperture_lines(chip, range_m, time_s);
    std::int64_t count = 0;
    for (std::int64_t line = lines.first; line < lines.last; ++line) {
        const IndexRange pulse = pulse_samples(chip, range_at_line(chip, range_m, time_s, line));
        count += pulse.last - pulse.first;
    }
    return static_cast<double>(count);
}

}  // namespace cornerturn
