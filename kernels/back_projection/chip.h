// SPDX-License-Identifier: Apache-2.0
// Time-domain back-projection: the reference that shares no FFT, no filter and no range history with the
// frequency-domain chains.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/math/two_way_delay.h"

namespace cornerturn {

/// A pixel of the image: the place on the ground that it shows, its closest range (which gives its phase), and the
/// lines of its aperture, which may reach beyond the echo.
struct BackprojectionPixel {
    Place place;
    double range_m = 0;
    IndexRange lines;
};

/// Pixels of the image and the signal model (docs/theory.md) by which they are correlated with the raw echo.
/// Every pixel is the sum over lines and samples of conj(model) * echo * exp(-j 4 pi R0 / lambda), divided by the
/// model's energy, so that a point target of amplitude A whose every line was summed peaks at A * exp(-j 4 pi R0 /
/// lambda).
struct BackprojectionChip {
    std::int64_t lines = 0;  ///< of the echo
    std::int64_t samples = 0;
    PulseTiming timing;
    std::int64_t first_path = 0;   ///< the line of the first path
    std::vector<PulsePath> paths;  ///< of all recorded lines that a pixel has in its aperture
    std::vector<BackprojectionPixel> pixels;
};

/// exp(-j 4 pi R0 / lambda): what the image shows in place of the model's phase.
CT_HOST_DEVICE Complex<double> image_phasor(const PulseTiming& timing, double range_m) {
    return unit_phasor<double>(-2.0 * timing.carrier_hz / c_m_s * range_m);
}

/// Sum of conj(model) * echo over the recorded samples first + `offset` + n * `stride` + [0, Lanes) of a pulse, n = 0,
/// 1, ... `echo(line, sample)` returns Complex<double>. A caller alone takes offset 0 and stride = Lanes; of a group of
/// G threads with Lanes = 1, number i takes offset i and stride G. The quadratic phase runs by p *= q, q *= r in every
/// lane: 2000 steps cost 1e-10.
template <int Lanes, class Echo>
CT_HOST_DEVICE Complex<double> correlate_pulse(const Echo& echo, const PulseEcho& pulse, std::int64_t samples,
                                               std::int64_t line, std::int64_t offset, std::int64_t stride) {
    const IndexRange covered = recorded(pulse.samples, samples);
    std::int64_t sample = covered.first + offset;
    const double leap = static_cast<double>(stride), curve = pulse.cycles_per_sample2;
    const Complex<double> r = unit_phasor<double>(-2 * curve * leap * leap);
    double p_re[Lanes], p_im[Lanes], q_re[Lanes], q_im[Lanes], sum_re[Lanes], sum_im[Lanes];
    for (int lane = 0; lane < Lanes; ++lane) {
        const double d = static_cast<double>(sample + lane) - pulse.middle;
        const Complex<double> p = conj(pulse.at(sample + lane));
        const Complex<double> q = unit_phasor<double>(-leap * (pulse.cycles_per_sample + curve * (2 * d + leap)));
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

/// What is left of the energy of a pixel's model: one for each sample of the pulses whose lines are not recorded.
CT_HOST_DEVICE double unrecorded_energy(const PulseTiming& timing, IndexRange lines, std::int64_t count) {
    const IndexRange there = recorded(lines, count);
    const double missing = static_cast<double>((lines.last - lines.first) - (there.last - there.first));
    return missing * timing.chirp_duration_s * timing.sample_rate_hz;
}

}  // namespace cornerturn
