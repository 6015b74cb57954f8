// SPDX-License-Identifier: Apache-2.0
// Scenes without a chain: circular Gaussian noise that fills a band about a carrier, moved between its samples exactly.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "kernels/host/line_fft.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/proof/counted_random.h"

namespace cornerturn {

/// What a scene of speckle looks like; the band is that of both axes, in parts of the sample rate.
struct Speckle {
    std::int64_t rows = 256, columns = 320;
    double band = 0.8;
    double row_carrier = 0.4, column_carrier = -0.1;  ///< cycles per sample
    double rows_moved = 0, columns_moved = 0;         ///< towards greater rows and columns, circularly
    std::uint64_t seed = 1;
};

inline std::complex<double> gaussian(std::uint64_t seed, std::uint64_t index) {
    const double u = 1 - unit(mix(mix(seed) + 2 * index)), v = unit(mix(mix(seed) + 2 * index + 1));
    return std::polar(std::sqrt(-std::log(u)), 2 * std::numbers::pi * v);
}

/// An image of mean power 1.
inline Image speckle_image(const Speckle& scene) {
    Image image;
    image.grid = {.rows = scene.rows,
                  .columns = scene.columns,
                  .first_time_s = 3,
                  .time_spacing_s = 1e-3,
                  .near_range_m = 800e3,
                  .range_spacing_m = 2};
    const auto samples = static_cast<std::size_t>(scene.rows * scene.columns);
    std::vector<std::complex<double>> spectrum(samples);
    const auto place = [](std::int64_t k, std::int64_t n,
                          double carrier) {  // of the frequency nearest to the carrier, in cycles per sample
        const double cycles = static_cast<double>(k) / static_cast<double>(n);
        return cycles - std::round(cycles - carrier);
    };
    for (std::int64_t k = 0; k < scene.rows; ++k)
        for (std::int64_t m = 0; m < scene.columns; ++m) {
            const double row = place(k, scene.rows, scene.row_carrier),
                         column = place(m, scene.columns, scene.column_carrier);
            if (std::abs(row - scene.row_carrier) > scene.band / 2 ||
                std::abs(column - scene.column_carrier) > scene.band / 2)
                continue;
            const double angle = -2 * std::numbers::pi * (row * scene.rows_moved + column * scene.columns_moved);
            const auto i = static_cast<std::size_t>(k * scene.columns + m);
            spectrum[i] =
                gaussian(scene.seed, i) * std::polar(1 / std::sqrt(static_cast<double>(samples)) / scene.band, angle);
        }
    const LineFft<double> across(scene.columns, FftDirection::inverse), down(scene.rows, FftDirection::inverse);
    const auto transform = [&](const LineFft<double>& fft, std::size_t first, std::size_t step, std::int64_t count) {
        LineBuffer<double> line(count);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto value = spectrum[first + static_cast<std::size_t>(i) * step];
            line.data()[i] = {value.real(), value.imag()};
        }
        fft(line.data());
        for (std::int64_t i = 0; i < count; ++i)
            spectrum[first + static_cast<std::size_t>(i) * step] = {line.data()[i].re, line.data()[i].im};
    };
    const auto columns = static_cast<std::size_t>(scene.columns);
    for (std::int64_t row = 0; row < scene.rows; ++row)
        transform(across, static_cast<std::size_t>(row) * columns, 1, scene.columns);
    for (std::int64_t column = 0; column < scene.columns; ++column)
        transform(down, static_cast<std::size_t>(column), columns, scene.rows);
    image.samples.assign(spectrum.begin(), spectrum.end());
    return image;
}

}  // namespace cornerturn
