// SPDX-License-Identifier: Apache-2.0
// Comparison of a focused patch with back-projection.
#include "pipeline/verify/reference_chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "kernels/math/phasor.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/echo/echo_part.h"
#include "pipeline/measure/matrix_fourier.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/measure/point_chip.h"
#include "pipeline/measure/point_theory.h"
#include "pipeline/proof/exact_pixels.h"

namespace cornerturn {
namespace {

constexpr std::int64_t side_px = comparison_side_px;

/// A patch with both carriers moved to zero and its edges faded, which can be read between its samples.
class Patch {
public:
    template <class Value>
    Patch(const Carriers& carriers, double skew, Value value) : patch_(faded(carriers, value), triple_product, skew) {}

    std::complex<double> at(PixelPosition p) const {
        return patch_.at(std::span(&p.row, 1), std::span(&p.column, 1))(0, 0);
    }

    /// Place of the largest magnitude, searched ever finer about the middle.
    PixelPosition peak() const {
        PixelPosition best{side_px / 2, side_px / 2};
        for (double step = 0.5; step > 1e-4; step /= 4) {
            std::vector<double> rows, columns;
            for (int k = -5; k <= 5; ++k)
                rows.push_back(best.row + k * step), columns.push_back(best.column + k * step);
            const ComplexMatrix values = patch_.at(rows, columns);
            const auto largest = std::max_element(values.values.begin(), values.values.end(),
                                                  [](auto a, auto b) { return std::norm(a) < std::norm(b); });
            const auto index = static_cast<std::size_t>(largest - values.values.begin());
            best = {rows[index / columns.size()], columns[index % columns.size()]};
        }
        return best;
    }

    struct Widths {
        double rows, columns;
    };
    /// Between the half powers beside a peak; not a number where they lie outside.
    Widths widths_px(PixelPosition peak) const {
        return {half_width_px(peak, {1, 0}) + half_width_px(peak, {-1, 0}),
                half_width_px(peak, {0, 1}) + half_width_px(peak, {0, -1})};
    }

private:
    double half_width_px(PixelPosition peak, PixelPosition along) const {
        constexpr double step_px = 0.1;
        const double half = 0.5 * std::norm(at(peak));
        const auto above = [&](double px) {
            return std::norm(at({peak.row + px * along.row, peak.column + px * along.column})) > half;
        };
        double inside = 0;
        while (above(inside + step_px))
            if ((inside += step_px) > side_px / 4) return NAN;
        double outside = inside + step_px;
        while (outside - inside > 1e-5) {
            const double middle = 0.5 * (inside + outside);
            (above(middle) ? inside : outside) = middle;
        }
        return inside;
    }

    template <class Value>
    static ComplexMatrix faded(const Carriers& carriers, Value value) {
        ComplexMatrix matrix(side_px, side_px);
        const auto weight = [](std::int64_t k) {
            return 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * static_cast<double>(k) / side_px);
        };
        for (std::int64_t i = 0; i < side_px; ++i)
            for (std::int64_t k = 0; k < side_px; ++k) {
                const double cycles = carriers.azimuth_cycles * static_cast<double>(i - side_px / 2) +
                                      carriers.range_cycles * static_cast<double>(k - side_px / 2);
                matrix(i, k) = weight(i) * weight(k) * value(i, k) * std_phasor(-cycles);
            }
        return matrix;
    }

    BandlimitedPatch patch_;
};

/// From the lines that a chip is made of alone: they go to the device.
std::vector<std::complex<double>> backprojected(Device& device, EchoSource& echo, BackprojectionChip chip) {
    const auto count = std::max<std::int64_t>(1, static_cast<std::int64_t>(chip.paths.size()));
    const std::int64_t first = std::min(chip.first_path, chip.lines - count);
    const Acquisition slice = slice_of(echo.acquisition(), first, count);
    std::vector<std::byte> samples(slice.sample_bytes());
    echo.read(first, slice.lines, samples);
    Matrix lines = device.allocate(slice.format, slice.lines, slice.samples);
    device.upload(samples, lines);
    chip.lines = slice.lines;
    chip.first_path -= first;
    for (BackprojectionPixel& pixel : chip.pixels) pixel.lines = {pixel.lines.first - first, pixel.lines.last - first};
    return device.backproject(lines, slice.decoding, chip);
}

/// Two patches of pixels (row, column).
template <class OfImage, class OfReference>
void compare(const ResponseSupport& support, const ImageGrid& grid, const OfImage& of_image,
             const OfReference& of_reference, ChipComparison& result) {
    std::complex<double> inner = 0;
    double image_energy = 0, reference_energy = 0;
    for (std::int64_t i = 0; i < side_px; ++i)
        for (std::int64_t k = 0; k < side_px; ++k) {
            inner += of_image(i, k) * std::conj(of_reference(i, k));
            image_energy += std::norm(of_image(i, k));
            reference_energy += std::norm(of_reference(i, k));
        }
    if (image_energy == 0 && reference_energy == 0) {
        result.refused = "neither the echo nor the image holds anything there";
        return;
    }
    const double both = std::sqrt(image_energy * reference_energy);
    result.correlation = both > 0 ? std::abs(inner) / both : 0;

    const Carriers carrier = carriers(support, grid);
    const double skew = spectrum_extent(support, grid).skew;
    const Patch image_patch(carrier, skew, of_image), reference_patch(carrier, skew, of_reference);
    const PixelPosition image_peak = image_patch.peak(), reference_peak = reference_patch.peak();
    result.distance_px =
        std::max(std::abs(image_peak.row - reference_peak.row), std::abs(image_peak.column - reference_peak.column));
    result.phase_deg =
        std::arg(image_patch.at(reference_peak) * std::conj(reference_patch.at(reference_peak))) / degree;
    const Patch::Widths of_image_px = image_patch.widths_px(image_peak),
                        of_reference_px = reference_patch.widths_px(reference_peak);
    const double rows_percent = 100 * (of_image_px.rows / of_reference_px.rows - 1),
                 columns_percent = 100 * (of_image_px.columns / of_reference_px.columns - 1);
    result.width_percent = std::abs(rows_percent) > std::abs(columns_percent) ? rows_percent : columns_percent;
}

}  // namespace

std::optional<PixelBlock> comparison_pixels_about(const ImageGrid& grid, const PointTarget& target) {
    const PixelPosition place = pixel_position(grid, target.range_m, target.zero_doppler_time_s);
    const PixelBlock block{.first_row = std::lround(place.row) - side_px / 2,
                           .rows = side_px,
                           .first_column = std::lround(place.column) - side_px / 2,
                           .columns = side_px};
    const PixelBlock whole{.first_row = 0, .rows = grid.rows, .first_column = 0, .columns = grid.columns};
    return whole.holds(block) ? std::optional(block) : std::nullopt;
}

ChipComparison compare_with_backprojection(Device& device, EchoSource& echo, const ImageView& view,
                                           const PointTarget& target, double beside_hz) {
    ChipComparison result;
    const Image& image = view.header();
    const ImageGrid& grid = image.grid;
    const PixelPosition place = pixel_position(grid, target.range_m, target.zero_doppler_time_s);
    const auto block = comparison_pixels_about(grid, target);
    if (!block) {
        result.refused = fmt::format("its {0} x {0} pixels are not all in the image (row {1:.1f}, column {2:.1f})",
                                     side_px, place.row, place.column);
        return result;
    }
    const Acquisition& acquisition = echo.acquisition();
    const ResponseSupport support = target_support(image, analysis_target(target));
    RadarGeometry geometry = recorded_geometry(acquisition, support.velocity_m_s);
    if (image.acquisition.orbit && image.acquisition.orbit != acquisition.orbit)
        geometry.take_rows_of(interpolated_track(*image.acquisition.orbit));
    const DopplerBand lit = support.effective_azimuth_band_hz(), band{lit.low_hz - beside_hz, lit.high_hz + beside_hz};
    const auto chip_of = [&](const std::vector<ClosestApproach>& approaches) {
        return backprojection_chip(acquisition, geometry, approaches, target.height_m, band);
    };
    const BackprojectionChip at_target = chip_of({{target.zero_doppler_time_s, target.range_m}});
    result.fully_recorded = fully_recorded(at_target, at_target.pixels.front());
    result.at_truth_over_truth = backprojected(device, echo, at_target).front() /
                                 (target.amplitude * std_phasor(-2.0 * target.range_m / acquisition.wavelength_m()));

    std::vector<ClosestApproach> approaches;
    for (std::int64_t i = 0; i < side_px; ++i)
        for (std::int64_t k = 0; k < side_px; ++k)
            approaches.push_back({grid.time_s(static_cast<double>(block->first_row + i)),
                                  grid.range_m(static_cast<double>(block->first_column + k))});
    const std::vector<std::complex<double>> reference = backprojected(device, echo, chip_of(approaches));
    const Pixels pixels = view.read(*block);
    const auto of_reference = [&](std::int64_t i, std::int64_t k) {
        return reference[static_cast<std::size_t>(i * side_px + k)];
    };
    const auto of_image = [&](std::int64_t i, std::int64_t k) {
        return std::complex<double>(pixels.at(block->first_row + i, block->first_column + k));
    };
    compare(support, grid, of_image, of_reference, result);
    return result;
}

}  // namespace cornerturn
