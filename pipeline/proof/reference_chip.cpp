// SPDX-License-Identifier: Apache-2.0
// Comparison of a focused patch with back-projection.
#include "pipeline/proof/reference_chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "kernels/phasor.h"
#include "pipeline/proof/matrix_fourier.h"
#include "pipeline/proof/point_chip.h"
#include "pipeline/proof/point_theory.h"
#include "pipeline/run/azimuth_blocks.h"

namespace cornerturn {
namespace {

constexpr std::int64_t side_px = comparison_side_px;

std::complex<double> phasor(double cycles) {
    const Complex128 p = unit_phasor<double>(cycles);
    return {p.re, p.im};
}

/// A patch with both carriers moved to zero and its edges faded, which can be read between its samples.
class Patch {
public:
    template <class Value>
    Patch(const Carriers& carriers, Value value) : patch_(faded(carriers, value)) {}

    std::complex<double> at(PixelPosition p) const { return patch_.at(std::span(&p.row, 1), std::span(&p.column, 1))(0, 0); }

    /// Place of the largest magnitude, searched ever finer about the middle.
    PixelPosition peak() const {
        PixelPosition best{side_px / 2, side_px / 2};
        for (double step = 0.5; step > 1e-4; step /= 4) {
            std::vector<double> rows, columns;
            for (int k = -5; k <= 5; ++k) rows.push_back(best.row + k * step), columns.push_back(best.column + k * step);
            const ComplexMatrix values = patch_.at(rows, columns);
            const auto largest =
                std::max_element(values.values.begin(), values.values.end(), [](auto a, auto b) { return std::norm(a) < std::norm(b); });
            const auto index = static_cast<std::size_t>(largest - values.values.begin());
            best = {rows[index / columns.size()], columns[index % columns.size()]};
        }
        return best;
    }

private:
    template <class Value>
    static ComplexMatrix faded(const Carriers& carriers, Value value) {
        ComplexMatrix matrix(side_px, side_px);
        const auto weight = [](std::int64_t k) { return 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * static_cast<double>(k) / side_px); };
        for (std::int64_t i = 0; i < side_px; ++i)
            for (std::int64_t k = 0; k < side_px; ++k) {
                const double cycles = carriers.azimuth_cycles * static_cast<double>(i - side_px / 2) +
                                      carriers.range_cycles * static_cast<double>(k - side_px / 2);
                matrix(i, k) = weight(i) * weight(k) * value(i, k) * phasor(-cycles);
            }
        return matrix;
    }

    BandlimitedPatch patch_;
};

bool holds(IndexRange inner, std::int64_t count) { return inner.first >= 0 && inner.last <= count; }

bool fully_recorded(const BackprojectionChip& chip, const PointTarget& target) {
    const IndexRange lines = aperture_lines(chip, target.range_m, target.zero_doppler_time_s);
    if (!holds(lines, chip.lines) || lines.first >= lines.last) return false;
    for (std::int64_t line = lines.first; line < lines.last; ++line)
        if (!holds(pulse_samples(chip, range_at_line(chip, target.range_m, target.zero_doppler_time_s, line)), chip.samples)) return false;
    return true;
}

/// The lines of an echo that a patch is made of, on a device.
struct ApertureLines {
    Matrix matrix;
    EchoDecoding decoding;
    BackprojectionChip chip;  ///< of these lines alone
};

ApertureLines aperture_of(Device& device, EchoSource& echo, const BackprojectionChip& chip) {
    const Acquisition& whole = echo.acquisition();
    std::int64_t first = chip.lines, last = 0;
    for (std::int64_t row = 0; row < chip.rows; ++row)
        for (std::int64_t column = 0; column < chip.columns; ++column) {
            const IndexRange lines = recorded(aperture_lines(chip, chip.first_range_m + static_cast<double>(column) * chip.column_spacing_m,
                                                             chip.first_time_s + static_cast<double>(row) * chip.time_spacing_s),
                                              chip.lines);
            if (lines.first == lines.last) continue;
            first = std::min(first, lines.first), last = std::max(last, lines.last);
        }
    if (first >= last) first = 0, last = 1;  // of no use, but something has to be there
    const Acquisition slice = slice_of(whole, first, last - first);
    std::vector<std::byte> samples(static_cast<std::size_t>(slice.lines * slice.samples) * bytes_per_sample(slice.format));
    echo.read(first, slice.lines, samples);
    ApertureLines lines{.matrix = device.allocate(slice.format, slice.lines, slice.samples), .decoding = slice.decoding, .chip = chip};
    device.upload(samples, lines.matrix);
    lines.chip.lines = slice.lines;
    lines.chip.first_pulse_time_s = slice.first_pulse_time_s;
    return lines;
}

std::vector<std::complex<double>> backprojected(Device& device, EchoSource& echo, const BackprojectionChip& chip) {
    const ApertureLines lines = aperture_of(device, echo, chip);
    return device.backproject(lines.matrix, lines.decoding, lines.chip);
}

}  // namespace

BackprojectionChip backprojection_chip(const Image& image, double range_m) {
    const Acquisition& acquisition = image.acquisition;
    const ResponseSupport support = response_support(image, pixel_position(image.grid, range_m, 0).column);
    const double half_band_hz = 0.5 * support.effective_azimuth_bandwidth_hz();
    return {.lines = acquisition.lines,
            .samples = acquisition.samples,
            .near_range_m = acquisition.near_range_m,
            .range_spacing_m = acquisition.range_spacing_m,
            .first_pulse_time_s = acquisition.first_pulse_time_s,
            .prf_hz = acquisition.prf_hz,
            .carrier_hz = acquisition.carrier_hz,
            .chirp_slope_hz_s = acquisition.chirp.slope_hz_s,
            .chirp_duration_s = acquisition.chirp.duration_s,
            .velocity_m_s = support.velocity_m_s,
            .doppler_low_hz = support.doppler_centroid_hz - half_band_hz,
            .doppler_high_hz = support.doppler_centroid_hz + half_band_hz,
            .rows = 1,
            .columns = 1,
            .first_time_s = 0,
            .time_spacing_s = image.grid.time_spacing_s,
            .first_range_m = range_m,
            .column_spacing_m = image.grid.range_spacing_m};
}

std::optional<PixelBlock> comparison_pixels_about(const ImageGrid& grid, const PointTarget& target) {
    const PixelPosition place = pixel_position(grid, target.range_m, target.zero_doppler_time_s);
    const PixelBlock block{.first_row = std::lround(place.row) - side_px / 2,
                           .rows = side_px,
                           .first_column = std::lround(place.column) - side_px / 2,
                           .columns = side_px};
    const PixelBlock whole{.first_row = 0, .rows = grid.rows, .first_column = 0, .columns = grid.columns};
    return whole.holds(block) ? std::optional(block) : std::nullopt;
}

ChipComparison compare_with_backprojection(Device& device, EchoSource& echo, const ImageView& view, const PointTarget& target) {
    ChipComparison result;
    const Image& image = view.header();
    const ImageGrid& grid = image.grid;
    const PixelPosition place = pixel_position(grid, target.range_m, target.zero_doppler_time_s);
    const auto block = comparison_pixels_about(grid, target);
    if (!block) {
        result.refused =
            fmt::format("its {0} x {0} pixels are not all in the image (row {1:.1f}, column {2:.1f})", side_px, place.row, place.column);
        return result;
    }
    BackprojectionChip chip = backprojection_chip(image, target.range_m);
    chip.first_time_s = target.zero_doppler_time_s;
    result.fully_recorded = fully_recorded(chip, target);
    const std::complex<double> at_truth = backprojected(device, echo, chip).front();
    result.at_truth_over_truth = at_truth / (target.amplitude * phasor(-2.0 * target.range_m / image.acquisition.wavelength_m()));

    chip.rows = chip.columns = side_px;
    chip.first_time_s = grid.time_s(static_cast<double>(block->first_row));
    chip.first_range_m = grid.range_m(static_cast<double>(block->first_column));
    const std::vector<std::complex<double>> reference = backprojected(device, echo, chip);
    const Pixels pixels = view.read(*block);
    const auto of_reference = [&](std::int64_t i, std::int64_t k) { return reference[static_cast<std::size_t>(i * side_px + k)]; };
    const auto of_image = [&](std::int64_t i, std::int64_t k) {
        return std::complex<double>(pixels.at(block->first_row + i, block->first_column + k));
    };
    std::complex<double> inner = 0;
    double image_energy = 0, reference_energy = 0;
    for (std::int64_t i = 0; i < side_px; ++i)
        for (std::int64_t k = 0; k < side_px; ++k) {
            inner += of_image(i, k) * std::conj(of_reference(i, k));
            image_energy += std::norm(of_image(i, k));
            reference_energy += std::norm(of_reference(i, k));
        }
    result.correlation = std::abs(inner) / std::sqrt(image_energy * reference_energy);

    const Carriers carrier = carriers(response_support(image, place.column), grid);
    const Patch image_patch(carrier, of_image), reference_patch(carrier, of_reference);
    const PixelPosition image_peak = image_patch.peak(), reference_peak = reference_patch.peak();
    result.distance_px = std::max(std::abs(image_peak.row - reference_peak.row), std::abs(image_peak.column - reference_peak.column));
    result.phase_deg = std::arg(image_patch.at(reference_peak) * std::conj(reference_patch.at(reference_peak))) * 180.0 / std::numbers::pi;
    return result;
}

}  // namespace cornerturn
