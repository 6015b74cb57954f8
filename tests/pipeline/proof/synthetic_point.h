// SPDX-License-Identifier: Apache-2.0
// An image of point targets summed directly from their spectra: what a perfect processor would deliver.
#pragma once

#include <cmath>
#include <complex>
#include <vector>

#include "kernels/math/phasor.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/proof/point_theory.h"

namespace cornerturn {

/// Empty image with axes and processing record of the support.
inline Image empty_image(const ResponseSupport& support, std::int64_t rows, std::int64_t columns, double prf_hz,
                         double sample_rate_hz) {
    Image image;
    image.acquisition.carrier_hz = support.carrier_hz;
    image.acquisition.azimuth_bandwidth_hz = support.beam_bandwidth_hz;
    image.grid = {rows, columns, 3.25, 1 / prf_hz, 850000.0, speed_of_light_m_s / (2 * sample_rate_hz)};
    image.processing.doppler_centroid_hz = support.doppler_centroid_hz;
    image.processing.range_bandwidth_hz = support.range_bandwidth_hz;
    image.processing.azimuth_bandwidth_hz = support.azimuth_bandwidth_hz;
    image.processing.range_window = support.range_window;
    image.processing.azimuth_window = support.azimuth_window;
    image.processing.effective_velocity_m_s.assign(static_cast<std::size_t>(columns), support.velocity_m_s);
    image.samples.resize(static_cast<std::size_t>(rows * columns));
    return image;
}

/// Adds amplitude * exp(-j 4 pi R0 / lambda) * the integral of the weighted support, over that of the processed bands,
/// at a fractional pixel. Midpoint rule with 360 x 360 points: the tenth sidelobe comes out 0.2 % too high (x / sin x
/// at x = 11 pi / 360), the first ones and the peak right.
inline PointTarget add_point(Image& image, const ResponseSupport& support, double row, double column,
                             std::complex<double> amplitude) {
    constexpr int steps = 360;
    const ImageGrid& grid = image.grid;
    const double delay_per_pixel_s = 2 * grid.range_spacing_m / speed_of_light_m_s;
    PointTarget target;
    target.range_m = grid.range_m(column);
    target.zero_doppler_time_s = grid.time_s(row);
    target.amplitude = amplitude;
    const Complex128 phase = unit_phasor<double>(-2 * target.range_m * support.carrier_hz / speed_of_light_m_s);
    const std::complex<double> peak = amplitude * std::complex<double>(phase.re, phase.im);

    std::vector<Complex128> sum(image.samples.size(), Complex128{0, 0});
    std::vector<Complex128> line(static_cast<std::size_t>(grid.columns));
    double total = 0;
    for (int j = 0; j < steps; ++j) {
        const double y = (j + 0.5) / steps - 0.5;
        const double f_eta = support.doppler_centroid_hz + y * support.azimuth_bandwidth_hz;
        std::fill(line.begin(), line.end(), Complex128{0, 0});
        for (int i = 0; i < steps; ++i) {
            const double x = (i + 0.5) / steps - 0.5;
            const double f_tau = x * support.range_bandwidth_hz;
            const double beam = f_eta * support.carrier_hz / (support.carrier_hz + f_tau) - support.doppler_centroid_hz;
            const double weight = support.range_window(x) * support.azimuth_window(y);
            total += weight;
            if (support.beam_bandwidth_hz && std::abs(beam) > 0.5 * *support.beam_bandwidth_hz) continue;
            const double cycles = support.image_range_frequency_hz(f_tau, f_eta) * delay_per_pixel_s;
            const Complex128 turn = unit_phasor<double>(cycles);
            Complex128 value = weight * unit_phasor<double>(-cycles * column);
            for (Complex128& element : line) {
                element = element + value;
                value = value * turn;
            }
        }
        for (std::int64_t r = 0; r < grid.rows; ++r) {
            const Complex128 phasor = unit_phasor<double>(f_eta * grid.time_spacing_s * (static_cast<double>(r) - row));
            for (std::int64_t c = 0; c < grid.columns; ++c) {
                Complex128& element = sum[static_cast<std::size_t>(r * grid.columns + c)];
                element = element + phasor * line[static_cast<std::size_t>(c)];
            }
        }
    }
    for (std::size_t k = 0; k < sum.size(); ++k) {
        image.samples[k] += std::complex<float>(peak * std::complex<double>(sum[k].re, sum[k].im) / total);
    }
    return target;
}

}  // namespace cornerturn
