// SPDX-License-Identifier: Apache-2.0
// Cutting a chip out of the image and moving it to baseband.
#include "pipeline/measure/point_chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/math/phasor.h"

namespace cornerturn {

namespace {

/// Of the sampling rate, that a band may fill whose patch fades over `usual_fade` pixels: the fading makes it wider.
constexpr double usual_fill = 0.93;
constexpr std::int64_t usual_fade = 52, longest_fade = 260;
constexpr std::int64_t shortest_fade = 12;  // what a target near the edge must leave at least

/// Pixels over which the edges of a patch fade that holds such a band.
std::int64_t fade_of(double fill) {
    if (fill >= 1) return usual_fade;  // none would do
    const double pixels = static_cast<double>(usual_fade) * (1 - usual_fill) / (1 - fill);
    return static_cast<std::int64_t>(std::clamp<double>(pixels, usual_fade, longest_fade));
}

/// Main lobe (2 / band, windowed) and ten sidelobes (10 / band), and a few pixels for the peak to lie off the expected
/// place.
std::int64_t exact_reach(double band) {
    return static_cast<std::int64_t>(std::ceil(12.5 / std::clamp(band, 0.02, 1.0))) + 5;
}

/// An illuminated band this narrow would make chips of thousands of rows; the processed band, with its fading edges,
/// needs only some of them.
std::int64_t row_step(const ResponseSupport& support, const ImageGrid& grid) {
    constexpr double narrow_band = 0.05, edges = 1.125;
    if (support.effective_azimuth_bandwidth_hz() * grid.time_spacing_s >= narrow_band) return 1;
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(1 / (edges * support.azimuth_bandwidth_hz * grid.time_spacing_s)));
}

/// 1 out to the exact reach, then down to 0 at the full reach with three continuous derivatives: 1 - (x - sin(2 pi x) /
/// 2 pi).
double fading(std::int64_t distance, const ChipReach& reach) {
    const double x =
        static_cast<double>(std::abs(distance) - reach.exact) / static_cast<double>(reach.full - reach.exact);
    if (x <= 0) return 1;
    if (x >= 1) return 0;
    return 1.0 - x + std::sin(2.0 * std::numbers::pi * x) / (2.0 * std::numbers::pi);
}

bool inside(const ImageGrid& grid, std::int64_t row, std::int64_t column, const ChipShape& shape) {
    return row >= shape.azimuth.full && row + shape.azimuth.full < grid.rows && column >= shape.range.full &&
           column + shape.range.full < grid.columns;
}

double delay_per_pixel_s(const ImageGrid& grid) { return 2.0 * grid.range_spacing_m / speed_of_light_m_s; }

/// Frequencies of a response: of the edges of its support, and of some inside.
using Outline = std::vector<Carriers>;

Outline outline_of(const ResponseSupport& support, const ImageGrid& grid) {
    Outline outline;
    constexpr int parts = 8;
    for (int i = 0; i <= parts; ++i) {
        const double f_tau = support.range_bandwidth_hz * (static_cast<double>(i) / parts - 0.5);
        const auto band = support.azimuth_band_hz(f_tau);
        if (!band) continue;
        const auto add = [&](double f_eta) {
            outline.push_back({f_eta * grid.time_spacing_s,
                               support.image_range_frequency_hz(f_tau, f_eta) * delay_per_pixel_s(grid)});
        };
        for (int k = 0; k <= parts; ++k) add(std::lerp(band->low_hz, band->high_hz, static_cast<double>(k) / parts));
        if (band->low_hz < 0 && band->high_hz > 0) add(0);  // the highest along range
    }
    return outline;
}

/// Of the spectrum at the pulse's middle frequency, from one end of the aperture to the other; 0 where that has one
/// range frequency.
double skew_along_aperture(const ResponseSupport& support, const ImageGrid& grid) {
    const auto band = support.azimuth_band_hz(0);
    if (!band) return 0;
    const double columns =
        (support.image_range_frequency_hz(0, band->high_hz) - support.image_range_frequency_hz(0, band->low_hz)) *
        delay_per_pixel_s(grid);
    return columns != 0 ? (band->high_hz - band->low_hz) * grid.time_spacing_s / columns : 0;
}

bool nearer_in_range(const Carriers& a, const Carriers& b) { return a.range_cycles < b.range_cycles; }

/// The patch, demodulated about the reference and faded at its edges.
ComplexMatrix baseband_patch(const Pixels& pixels, const ChipShape& shape, PixelPosition reference,
                             const Carriers& carrier) {
    const std::int64_t first_row = pixels.block.first_row, first_column = pixels.block.first_column;
    ComplexMatrix patch(2 * shape.azimuth.full / shape.row_step, 2 * shape.range.full);
    for (std::int64_t i = 0; i < patch.rows; ++i) {
        for (std::int64_t k = 0; k < patch.columns; ++k) {
            const std::int64_t row = first_row + i * shape.row_step;
            const std::int64_t column = first_column + k;
            const double cycles = carrier.azimuth_cycles * (static_cast<double>(row) - reference.row) +
                                  carrier.range_cycles * (static_cast<double>(column) - reference.column);
            const double weight = fading(i * shape.row_step - shape.azimuth.full, shape.azimuth) *
                                  fading(k - shape.range.full, shape.range);
            const Complex128 phasor = weight * unit_phasor<double>(-cycles);
            patch(i, k) = std::complex<double>(pixels.at(row, column)) * std::complex<double>(phasor.re, phasor.im);
        }
    }
    return patch;
}

}  // namespace

PixelPosition pixel_position(const ImageGrid& grid, double range_m, double time_s) {
    return {(time_s - grid.first_time_s) / grid.time_spacing_s, (range_m - grid.near_range_m) / grid.range_spacing_m};
}

Carriers carriers(const ResponseSupport& support, const ImageGrid& grid) {
    const Outline outline = outline_of(support, grid);
    const double azimuth_cycles = support.centre_hz() * grid.time_spacing_s;
    if (outline.empty())
        return {azimuth_cycles, support.image_range_frequency_hz(0, support.centre_hz()) * delay_per_pixel_s(grid)};
    const auto [low, high] = std::minmax_element(outline.begin(), outline.end(), nearer_in_range);
    return {azimuth_cycles, 0.5 * (low->range_cycles + high->range_cycles)};
}

SpectrumExtent spectrum_extent(const ResponseSupport& support, const ImageGrid& grid) {
    const Carriers middle = carriers(support, grid);
    Outline outline = outline_of(support, grid);
    for (Carriers& f : outline) f.azimuth_cycles -= middle.azimuth_cycles, f.range_cycles -= middle.range_cycles;
    const auto along_rows = [&](double skew) {
        double reach = 0;  // about the carriers, which are taken to zero
        for (const Carriers& f : outline) reach = std::max(reach, std::abs(f.azimuth_cycles - skew * f.range_cycles));
        return 2 * reach;
    };
    SpectrumExtent extent{.azimuth = along_rows(0)};
    for (const Carriers& f : outline) extent.range = std::max(extent.range, 2 * std::abs(f.range_cycles));
    const SpectrumExtent straight = extent;
    // Lines from the origin of frequencies, f0 below the middle, at an angle: d f_eta / d f_range = f_dc / (f0 cos);
    // and along the aperture, over which far under squint the range frequencies change by more than the pulse's.
    const double radial = middle.azimuth_cycles / (support.carrier_hz * delay_per_pixel_s(grid) + middle.range_cycles),
                 along_aperture = skew_along_aperture(support, grid);
    constexpr int steps = 16;
    for (const double steepest : {radial, along_aperture})
        for (int i = 1; i <= steps; ++i) {
            const double skew = steepest * i / steps, azimuth = along_rows(skew);
            if (azimuth < extent.azimuth) extent.azimuth = azimuth, extent.skew = skew;
        }
    // Noise of pulses beyond the beam lies beyond the columns' sampling, where the spectrum is slanted: read for what
    // it is not, it moves points along their ridge.
    constexpr double slanted = 0.75;
    if (straight.azimuth <= usual_fill && extent.azimuth > slanted * straight.azimuth) return straight;
    return extent;
}

ChipPlacement place_chip(const Image& image, const ResponseSupport& support, PixelPosition position) {
    const ImageGrid& grid = image.grid;
    if (!(position.row >= -0.5 && position.row < static_cast<double>(grid.rows) - 0.5 && position.column >= -0.5 &&
          position.column < static_cast<double>(grid.columns) - 0.5)) {
        return {{},
                fmt::format("outside the image of {} rows by {} columns (row {:.1f}, column {:.1f})", grid.rows,
                            grid.columns, position.row, position.column)};
    }
    const std::int64_t step = row_step(support, grid);
    const std::int64_t azimuth =
        step * exact_reach(support.effective_azimuth_bandwidth_hz() * grid.time_spacing_s * static_cast<double>(step));
    const std::int64_t range = exact_reach(support.range_bandwidth_hz * delay_per_pixel_s(grid));
    const std::int64_t row = std::lround(position.row);
    const std::int64_t column = std::lround(position.column);
    const SpectrumExtent extent = spectrum_extent(support, grid);
    const std::int64_t of_rows = fade_of(extent.azimuth * static_cast<double>(step)),
                       of_columns = fade_of(extent.range);
    for (std::int64_t fade = std::max(of_rows, of_columns); fade >= shortest_fade; fade -= 4) {
        const ChipShape shape{
            {azimuth, azimuth + step * std::min(fade, of_rows)}, {range, range + std::min(fade, of_columns)}, step};
        if (inside(grid, row, column, shape)) return {shape, {}};
    }
    return {{},
            fmt::format("too near the edge of the image of {} rows by {} columns: row {}, column {} needs {} rows and "
                        "{} columns on each side",
                        grid.rows, grid.columns, row, column, azimuth + step * shortest_fade, range + shortest_fade)};
}

bool fully_covered(const Image& image, const ChipShape& shape, PixelPosition position) {
    const std::int64_t row = std::lround(position.row), column = std::lround(position.column);
    const Interval columns{static_cast<std::int32_t>(column - shape.range.exact),
                           static_cast<std::int32_t>(column + shape.range.exact + 1)};
    for (std::int64_t k = row - shape.azimuth.exact; k <= row + shape.azimuth.exact; ++k)
        if (!image.valid(k, columns)) return false;
    return true;
}

PixelBlock pixels_of(const ChipShape& shape, PixelPosition position) {
    return {.first_row = std::lround(position.row) - shape.azimuth.full,
            .rows = 2 * shape.azimuth.full,
            .first_column = std::lround(position.column) - shape.range.full,
            .columns = 2 * shape.range.full};
}

PointChip::PointChip(const ImageView& image, const ResponseSupport& support, const ChipShape& shape,
                     PixelPosition reference, const TripleProduct& multiply)
    : first_row_(pixels_of(shape, reference).first_row),
      first_column_(pixels_of(shape, reference).first_column),
      row_step_(shape.row_step),
      reference_(reference),
      carriers_(carriers(support, image.header().grid)),
      patch_(baseband_patch(image.read(pixels_of(shape, reference)), shape, reference, carriers_), multiply,
             static_cast<double>(row_step_) * spectrum_extent(support, image.header().grid).skew) {}

ComplexMatrix PointChip::at(std::span<const double> rows, std::span<const double> columns) const {
    std::vector<double> patch_rows(rows.begin(), rows.end());
    std::vector<double> patch_columns(columns.begin(), columns.end());
    for (double& row : patch_rows) row = (row - static_cast<double>(first_row_)) / static_cast<double>(row_step_);
    for (double& column : patch_columns) column -= static_cast<double>(first_column_);
    return patch_.at(patch_rows, patch_columns);
}

double PointChip::carrier_cycles(PixelPosition position) const {
    return carriers_.azimuth_cycles * (position.row - reference_.row) +
           carriers_.range_cycles * (position.column - reference_.column);
}

}  // namespace cornerturn
