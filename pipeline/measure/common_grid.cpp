// SPDX-License-Identifier: Apache-2.0
#include "pipeline/measure/common_grid.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/errors.h"
#include "kernels/math/interpolation.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

constexpr std::int64_t least_shared = 64;  // rows and columns
constexpr double left_alone_px = 1e-3, largest_drift_px = 0.01;
constexpr int taps = 16;

/// A rectangle that may reach beyond the image.
Pixels read_padded(const ImageView& view, const PixelBlock& wanted) {
    const ImageGrid& grid = view.header().grid;
    Pixels padded(wanted);
    const std::int64_t first_row = std::max<std::int64_t>(0, wanted.first_row),
                       first_column = std::max<std::int64_t>(0, wanted.first_column);
    const PixelBlock there{.first_row = first_row,
                           .rows = std::min(grid.rows, wanted.first_row + wanted.rows) - first_row,
                           .first_column = first_column,
                           .columns = std::min(grid.columns, wanted.first_column + wanted.columns) - first_column};
    if (there.rows < 1 || there.columns < 1) return padded;
    const Pixels pixels = view.read(there);
    for (std::int64_t row = 0; row < there.rows; ++row)
        std::memcpy(padded.samples.data() + (first_row + row - wanted.first_row) * wanted.columns + first_column -
                        wanted.first_column,
                    pixels.samples.data() + row * there.columns,
                    static_cast<std::size_t>(there.columns) * sizeof(std::complex<float>));
    return padded;
}

/// The weights that read `fraction` of a sample behind the middle one (left of the middle) of a signal about a carrier.
std::vector<std::complex<float>> interpolator(double fraction, double carrier_cycles) {
    if (fraction == 0) return {1};
    static const SincKernel kernel = SincKernel::for_band(taps, 0.9);
    std::vector<std::complex<float>> weights;
    for (int k = 1 - taps / 2; k <= taps / 2; ++k) {
        const double distance = fraction - k;
        const Complex128 carrier = unit_phasor<double>(carrier_cycles * distance);
        const double weight = kernel.weight(distance);
        weights.emplace_back(static_cast<float>(weight * carrier.re), static_cast<float>(weight * carrier.im));
    }
    return weights;
}

/// How many samples interpolation reads before the one that it is about, and behind it.
std::int64_t before(std::size_t weights) { return weights > 1 ? taps / 2 - 1 : 0; }
std::int64_t behind(std::size_t weights) { return weights > 1 ? taps / 2 : 0; }

void check_spacing(const NamedImage& first, const NamedImage& second, const char* axis, const char* unit,
                   double spacing, double other, std::int64_t shared) {
    if (std::abs(spacing - other) * static_cast<double>(shared) <= largest_drift_px * spacing) return;
    throw InputError(fmt::format(
        "{} and {}: {} are {:.9g} {} apart in the one and {:.9g} {} in the other; images are compared pixel by "
        "pixel: give two of the same spacing",
        first.name, second.name, axis, spacing, unit, other, unit));
}

/// Rows and columns of the first image's first pixel on the second, of maps. Pixels have to lie on each other: whoever
/// compares maps can have them on one grid.
std::pair<double, double> shift_of_maps(const NamedImage& first, const NamedImage& second) {
    const auto &of_first = first.view.header().map, &of_second = second.view.header().map;
    if (!of_first || !of_second)
        throw InputError(
            fmt::format("{} and {}: the {} one is an image on a map, the other is not; give two on one map "
                        "(focus --grid), or two on the zero-Doppler grid",
                        first.name, second.name, of_first ? "first" : "second"));
    const MapGrid &a = *of_first, &b = *of_second;
    if (!(a.projection == b.projection))
        throw InputError(fmt::format("{} and {}: are on the maps {} and {}; focus --grid {} takes over the first one's",
                                     first.name, second.name, a.projection.name(), b.projection.name(), first.name));
    const char* unit = a.projection.in_degrees() ? "degrees" : "m";
    check_spacing(first, second, "rows", unit, std::abs(a.y_step), std::abs(b.y_step), std::min(a.rows, b.rows));
    check_spacing(first, second, "columns", unit, std::abs(a.x_step), std::abs(b.x_step),
                  std::min(a.columns, b.columns));
    const double rows = (a.first_y - b.first_y) / a.y_step, columns = (a.first_x - b.first_x) / a.x_step,
                 rows_off = rows - std::round(rows), columns_off = columns - std::round(columns);
    if (a.y_step * b.y_step < 0 || a.x_step * b.x_step < 0 ||
        !(std::max(std::abs(rows_off), std::abs(columns_off)) <= largest_drift_px))
        throw InputError(fmt::format(
            "{} and {}: pixels of the two maps do not lie on each other ({:.3g} rows and {:.3g} columns off, or the "
            "other way round); focus --grid {} takes over the first one's grid",
            first.name, second.name, rows_off, columns_off, first.name));
    return {rows, columns};
}

/// Likewise by times and ranges.
std::pair<double, double> shift_by_axes(const NamedImage& first, const NamedImage& second) {
    const ImageGrid &a = first.view.header().grid, &b = second.view.header().grid;
    check_spacing(first, second, "rows", "s", a.time_spacing_s, b.time_spacing_s, std::min(a.rows, b.rows));
    check_spacing(first, second, "columns", "m", a.range_spacing_m, b.range_spacing_m, std::min(a.columns, b.columns));
    return {(a.first_time_s - b.first_time_s) / a.time_spacing_s,
            (a.near_range_m - b.near_range_m) / a.range_spacing_m};
}

/// Splits a shift into whole pixels and what is to be interpolated.
std::pair<std::int64_t, double> split(double shift) {
    const double whole = std::round(shift);
    if (std::abs(shift - whole) <= left_alone_px) return {static_cast<std::int64_t>(whole), 0.0};
    return {static_cast<std::int64_t>(std::floor(shift)), shift - std::floor(shift)};
}

}  // namespace

MeanFrequency mean_frequency(const std::complex<float>* samples, std::int64_t rows, std::int64_t columns,
                             std::int64_t stride) {
    std::complex<double> down = 0, across = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::complex<float>* line = samples + row * stride;
        for (std::int64_t column = 0; column + 1 < columns; ++column)
            across += std::complex<double>(line[column + 1] * std::conj(line[column]));
        if (row + 1 == rows) continue;
        for (std::int64_t column = 0; column < columns; ++column)
            down += std::complex<double>(line[column + stride] * std::conj(line[column]));
    }
    return {std::arg(down) / (2 * std::numbers::pi), std::arg(across) / (2 * std::numbers::pi)};
}

CommonGrid::CommonGrid(NamedImage first, NamedImage second) : first_(std::move(first)), second_(std::move(second)) {
    const ImageGrid &a = first_header().grid, &b = second_header().grid;
    const bool maps = on_maps();
    const auto [rows, columns] = maps ? shift_of_maps(first_, second_) : shift_by_axes(first_, second_);
    row_shift_ = -rows, column_shift_ = -columns;
    double row_fraction = 0, column_fraction = 0;
    // Far apart, no whole number holds the shift.
    if (std::abs(rows) < 1e9 && std::abs(columns) < 1e9) {
        std::tie(whole_rows_, row_fraction) = split(rows);
        std::tie(whole_columns_, column_fraction) = split(columns);
        if (maps) {
            whole_rows_ = std::llround(rows), whole_columns_ = std::llround(columns);
            row_fraction = column_fraction = 0;
        }
        shared_.first_row = std::max<std::int64_t>(0, -whole_rows_);
        shared_.first_column = std::max<std::int64_t>(0, -whole_columns_);
        shared_.rows = std::min(a.rows, b.rows - whole_rows_) - shared_.first_row;
        shared_.columns = std::min(a.columns, b.columns - whole_columns_) - shared_.first_column;
    }
    if (shared_.rows < least_shared || shared_.columns < least_shared)
        throw InputError(fmt::format(
            "{} and {}: share {} rows and {} columns, expected at least {} of each; the one begins {:.6g} rows and "
            "{:.6g} columns behind the other: are they of one scene?",
            first_.name, second_.name, std::max<std::int64_t>(0, shared_.rows),
            std::max<std::int64_t>(0, shared_.columns), least_shared, rows, columns));
    row_taps_ = column_taps_ = {1};
    if (row_fraction == 0 && column_fraction == 0) return;
    constexpr std::int64_t sample = 512;
    const PixelBlock middle{.first_row = std::max<std::int64_t>(0, (b.rows - sample) / 2),
                            .rows = std::min(sample, b.rows),
                            .first_column = std::max<std::int64_t>(0, (b.columns - sample) / 2),
                            .columns = std::min(sample, b.columns)};
    const MeanFrequency carrier =
        mean_frequency(second_.view.read(middle).samples.data(), middle.rows, middle.columns, middle.columns);
    row_taps_ = interpolator(row_fraction, carrier.row_cycles);
    column_taps_ = interpolator(column_fraction, carrier.column_cycles);
}

Pixels CommonGrid::first(const PixelBlock& block) const { return read_padded(first_.view, block); }

Pixels CommonGrid::second(const PixelBlock& block) const {
    PixelBlock there = block;
    there.first_row += whole_rows_ - before(row_taps_.size());
    there.rows += before(row_taps_.size()) + behind(row_taps_.size());
    there.first_column += whole_columns_ - before(column_taps_.size());
    there.columns += before(column_taps_.size()) + behind(column_taps_.size());
    Pixels source = read_padded(second_.view, there);
    if (!interpolates()) {
        source.block = block;  // as the first image counts them
        return source;
    }
    const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    std::vector<std::complex<float>> lines(at(there.rows * block.columns));  // interpolated along the columns
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < there.rows; ++row)
        for (std::int64_t column = 0; column < block.columns; ++column)
            for (std::size_t k = 0; k < column_taps_.size(); ++k)
                lines[at(row * block.columns + column)] +=
                    column_taps_[k] * source.samples[at(row * there.columns + column) + k];
    Pixels pixels(block);
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < block.rows; ++row)
        for (std::size_t k = 0; k < row_taps_.size(); ++k)
            for (std::int64_t column = 0; column < block.columns; ++column)
                pixels.samples[at(row * block.columns + column)] +=
                    row_taps_[k] * lines[at((row + static_cast<std::int64_t>(k)) * block.columns + column)];
    return pixels;
}

bool CommonGrid::valid(std::int64_t row, const Interval& columns) const {
    const auto shifted = [&](std::int32_t column) { return static_cast<std::int32_t>(column + whole_columns_); };
    return first_header().valid(row, columns) &&
           second_header().valid(row + whole_rows_, {shifted(columns.first), shifted(columns.last)});
}

}  // namespace cornerturn
