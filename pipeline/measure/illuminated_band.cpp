// SPDX-License-Identifier: Apache-2.0
// The part of the processed Doppler band that the beam illuminates.
#include "pipeline/measure/illuminated_band.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>

#include "pipeline/measure/point_chip.h"

namespace cornerturn {

namespace {

constexpr std::int64_t bins = 256;  // across the sampling frequency of the image

/// Adds the power of each azimuth frequency of a chip, as a share of the whole; bin `bins / 2` is f_dc.
bool add_spectrum(const ImageView& view, const AnalysisTarget& target, std::vector<double>& spectrum,
                  const TripleProduct& multiply) {
    const Image& image = view.header();
    const PixelPosition centre = pixel_position(image.grid, target.range_m, target.time_s);
    const ResponseSupport support = response_support(image, centre.row, centre.column);
    const ChipPlacement placement = place_chip(image, support, centre);
    if (!placement.shape) return false;
    const auto whole_pixels = [](double position, std::int64_t reach) {
        std::vector<double> pixels(static_cast<std::size_t>(2 * reach));
        std::iota(pixels.begin(), pixels.end(), std::round(position) - static_cast<double>(reach));
        return pixels;
    };
    const auto rows = whole_pixels(centre.row, placement.shape->azimuth.full);
    const auto columns = whole_pixels(centre.column, placement.shape->range.full);
    const ComplexMatrix chip = PointChip(view, support, *placement.shape, centre, multiply).at(rows, columns);

    ComplexMatrix transform(bins, chip.rows);  // forward DFT to frequencies of (k - bins / 2) / bins cycles a row
    for (std::int64_t k = 0; k < bins; ++k) {
        for (std::int64_t m = 0; m < chip.rows; ++m)
            transform(k, m) =
                std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>((k - bins / 2) * m % bins) / bins);
    }
    const ComplexMatrix lines = matrix_product(transform, chip);
    const double total = std::transform_reduce(lines.values.begin(), lines.values.end(), 0.0, std::plus<>(),
                                               [](auto value) { return std::norm(value); });
    if (!(total > 0) || !std::isfinite(total)) return false;
    for (std::int64_t k = 0; k < bins; ++k) {
        for (std::int64_t column = 0; column < lines.columns; ++column)
            spectrum[k] += std::norm(lines(k, column)) / total;
    }
    return true;
}

/// Distance in bins from the centre to where the amplitude falls to half, interpolated; the last bin where it does not.
double half_amplitude(const std::vector<double>& spectrum, double quarter_power, std::int64_t direction) {
    std::int64_t k = bins / 2;
    while (k + direction > 0 && k + direction < bins - 1 && spectrum[k] > quarter_power) k += direction;
    const double inner = std::sqrt(spectrum[k - direction]);
    const double outer = std::sqrt(spectrum[k]);
    if (spectrum[k] > quarter_power || !(inner > outer)) return static_cast<double>(bins / 2);
    return static_cast<double>(std::abs(k - bins / 2)) - (std::sqrt(quarter_power) - outer) / (inner - outer);
}

}  // namespace

std::optional<double> estimate_beam_bandwidth_hz(const ImageView& view, const std::vector<AnalysisTarget>& targets,
                                                 const TripleProduct& multiply) {
    const Image& image = view.header();
    std::vector<double> spectrum(bins);
    const auto seen = std::count_if(targets.begin(), targets.end(), [&](const AnalysisTarget& target) {
        return add_spectrum(view, target, spectrum, multiply);
    });
    if (seen == 0) return {};
    const double line_rate_hz = 1.0 / image.grid.time_spacing_s;
    const double processed_hz = image.processing.azimuth_bandwidth_hz;
    // The window is known: what is left of the spectrum without it is the beam.
    for (std::int64_t k = 0; k < bins; ++k) {
        const double weight =
            image.processing.azimuth_window(static_cast<double>(k - bins / 2) / bins * line_rate_hz / processed_hz);
        spectrum[k] = weight > 0 ? spectrum[k] / (weight * weight) : 0.0;
    }
    constexpr std::int64_t middle = bins / 16;  // level of the band's middle eighth
    const double level =
        std::accumulate(spectrum.begin() + bins / 2 - middle, spectrum.begin() + bins / 2 + middle, 0.0) / (2 * middle);
    const double width_hz =
        (half_amplitude(spectrum, level / 4, -1) + half_amplitude(spectrum, level / 4, +1)) / bins * line_rate_hz;
    return width_hz < 0.97 * processed_hz ? std::optional(width_hz) : std::nullopt;
}

}  // namespace cornerturn
