// SPDX-License-Identifier: Apache-2.0
#include "pipeline/measure/map_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/measure/bright_pixels.h"

namespace cornerturn {
namespace {

constexpr std::int64_t peak_search_px = 8, half_chip_px = 32, fading_px = 12;

const MapGrid& map_of(const Image& image) {
    if (!image.map) throw std::logic_error("the image does not lie on a map");
    return *image.map;
}

struct Pixel {
    std::int64_t row, column;
};

/// The nearest pixel; far outside where a place lies anywhere, or nowhere.
std::int64_t nearest_px(double at) {
    constexpr double far_px = 1e12;
    return at > -far_px && at < far_px ? std::llround(at) : static_cast<std::int64_t>(-far_px);
}

/// The brightest within the search about a place; nothing where all is dark or it lies outside.
std::optional<Pixel> brightest_about(const ImageView& image, double row, double column) {
    const ImageGrid& grid = image.header().grid;
    const auto first = [](double at) { return std::max<std::int64_t>(0, nearest_px(at) - peak_search_px); };
    const auto end = [](double at, std::int64_t count) {
        return std::min<std::int64_t>(count, nearest_px(at) + peak_search_px + 1);
    };
    const PixelBlock block{.first_row = first(row),
                           .rows = end(row, grid.rows) - first(row),
                           .first_column = first(column),
                           .columns = end(column, grid.columns) - first(column)};
    if (block.rows < 1 || block.columns < 1) return std::nullopt;
    const Pixels pixels = image.read(block);
    Pixel best{};
    float most = 0;
    for (std::int64_t i = block.first_row; i < block.first_row + block.rows; ++i)
        for (std::int64_t k = block.first_column; k < block.first_column + block.columns; ++k)
            if (const float power = std::norm(pixels.at(i, k)); power > most) most = power, best = {i, k};
    return most > 0 ? std::optional(best) : std::nullopt;
}

/// Phase over pixels from the peak, in cycles: first and second powers.
struct ChipCarrier {
    double down, across, down2, across2, both;
    double cycles(double i, double k) const {
        return i * (down + 0.5 * down2 * i + both * k) + k * (across + 0.5 * across2 * k);
    }
};

/// From the turns from pixel to pixel about the peak, and the turns of these: over uneven ground a carrier is not the
/// same everywhere.
ChipCarrier carrier_of(const Pixels& pixels, const Pixel& peak) {
    constexpr std::int64_t reach = 3;
    const auto value = [&](std::int64_t i, std::int64_t k) {
        return std::complex<double>(pixels.at(peak.row + i, peak.column + k));
    };
    const auto down = [&](std::int64_t i, std::int64_t k) { return std::conj(value(i, k)) * value(i + 1, k); };
    const auto across = [&](std::int64_t i, std::int64_t k) { return std::conj(value(i, k)) * value(i, k + 1); };
    // Squared, so that a response which changes its sign from a pixel to the next, as sidelobes do, turns no more than
    // one that does not.
    const auto squared = [](std::complex<double> z) { return z * z; };
    std::complex<double> of_down = 0, of_across = 0, of_down2 = 0, of_across2 = 0, of_both = 0;
    for (std::int64_t i = -reach; i <= reach; ++i)
        for (std::int64_t k = -reach; k <= reach; ++k) {
            of_down += down(i, k);
            of_across += across(i, k);
            of_down2 += squared(std::conj(down(i - 1, k)) * down(i, k));
            of_across2 += squared(std::conj(across(i, k - 1)) * across(i, k));
            of_both += squared(std::conj(down(i, k)) * down(i, k + 1));
        }
    const auto cycles = [](std::complex<double> sum) { return std::arg(sum) / (2 * std::numbers::pi); };
    const double down2 = 0.5 * cycles(of_down2), across2 = 0.5 * cycles(of_across2);
    // The turn from pixel 0 to pixel 1 is that half-way between.
    return {cycles(of_down) - 0.5 * down2, cycles(of_across) - 0.5 * across2, down2, across2, 0.5 * cycles(of_both)};
}

/// 1 inside, falling to 0 at the edge, so that the periodic continuation has no step.
double fade(std::int64_t from_middle) {
    const double inside = static_cast<double>(half_chip_px - std::abs(from_middle));
    return inside >= fading_px ? 1 : 0.5 - 0.5 * std::cos(std::numbers::pi * inside / fading_px);
}

/// About a pixel, with its carrier taken off.
BandlimitedPatch patch_about(const Pixels& pixels, const Pixel& peak, const ChipCarrier& carrier,
                             const TripleProduct& multiply) {
    ComplexMatrix chip(2 * half_chip_px, 2 * half_chip_px);
    for (std::int64_t i = -half_chip_px; i < half_chip_px; ++i)
        for (std::int64_t k = -half_chip_px; k < half_chip_px; ++k) {
            const double cycles = carrier.cycles(static_cast<double>(i), static_cast<double>(k));
            chip(i + half_chip_px, k + half_chip_px) = fade(i) * fade(k) *
                                                       std::polar(1.0, -2 * std::numbers::pi * cycles) *
                                                       std::complex<double>(pixels.at(peak.row + i, peak.column + k));
        }
    return BandlimitedPatch(chip, multiply);
}

/// A chip, and what was taken off it.
struct ReadChip {
    ChipCarrier carrier;
    BandlimitedPatch patch;
};

/// Second powers are those of the ground and the antenna's distance where the spectrum gets narrower without them.
/// Elsewhere they are noise, and the response's own phase about its peak: taken off, they would move what lies at the
/// ends of the chip beyond the sampling.
ReadChip read_chip(const Pixels& pixels, const Pixel& peak, const TripleProduct& multiply) {
    constexpr double narrower = 1.01;
    const ChipCarrier bent = carrier_of(pixels, peak);
    const ChipCarrier straight{bent.down + 0.5 * bent.down2, bent.across + 0.5 * bent.across2, 0, 0, 0};
    ReadChip without{straight, patch_about(pixels, peak, straight, multiply)},
        with{bent, patch_about(pixels, peak, bent, multiply)};
    return with.patch.concentration() > narrower * without.patch.concentration() ? with : without;
}

struct Position {
    double row, column;
};

std::vector<double> about(double middle, double step, int each_way) {
    std::vector<double> positions;
    for (int i = -each_way; i <= each_way; ++i) positions.push_back(middle + step * i);
    return positions;
}

/// By finer and finer grids.
Position peak_of(const BandlimitedPatch& patch) {
    constexpr int each_way = 8;
    Position peak{half_chip_px, half_chip_px};
    for (double step = 0.25; step > 1e-5; step /= each_way) {
        const std::vector<double> rows = about(peak.row, step, each_way), columns = about(peak.column, step, each_way);
        const ComplexMatrix values = patch.at(rows, columns);
        double most = 0;
        for (std::int64_t i = 0; i < values.rows; ++i)
            for (std::int64_t k = 0; k < values.columns; ++k)
                if (const double power = std::norm(values(i, k)); power > most)
                    most = power, peak = {rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(k)]};
    }
    return peak;
}

CutMetrics metrics_of(const ComplexMatrix& values, double step_px, double pixel_m) {
    constexpr double of_a_sinc = 0.886;  // its width times its band
    Cut cut{.step_px = step_px, .power = {}};
    for (const auto& value : values.values) cut.power.push_back(std::norm(value));
    const double width_px = measure(cut, 1, pixel_m).irw_px;
    return measure(cut, of_a_sinc / width_px, pixel_m);
}

}  // namespace

PixelBlock map_pixels_about(const Image& image, const MapPoint& place) {
    constexpr std::int64_t reach = peak_search_px + half_chip_px;
    const MapGrid& grid = map_of(image);
    const auto span = [](double at, std::int64_t count) {
        const auto first = std::clamp<std::int64_t>(nearest_px(at) - reach, 0, count);
        return std::pair{first, std::clamp<std::int64_t>(nearest_px(at) + reach + 1, first, count) - first};
    };
    const auto [first_row, rows] = span(grid.row_at(place.y), grid.rows);
    const auto [first_column, columns] = span(grid.column_at(place.x), grid.columns);
    return {.first_row = first_row, .rows = rows, .first_column = first_column, .columns = columns};
}

MapPointAnalysis analyze_map_point(const ImageView& image, const MapTarget& target, const TripleProduct& multiply) {
    const MapGrid& grid = map_of(image.header());
    MapPointAnalysis point{.target = target, .refused = {}, .found = {}, .across = {}, .down = {}};
    const auto peak = brightest_about(image, grid.row_at(target.place.y), grid.column_at(target.place.x));
    if (!peak) {
        point.refused = "outside of the image, or where it has nothing";
        return point;
    }
    const PixelBlock block{.first_row = peak->row - half_chip_px,
                           .rows = 2 * half_chip_px,
                           .first_column = peak->column - half_chip_px,
                           .columns = 2 * half_chip_px};
    if (!PixelBlock{0, grid.rows, 0, grid.columns}.holds(block)) {
        point.refused = fmt::format("nearer than {} pixels to an edge of the image", half_chip_px);
        return point;
    }
    const Pixels pixels = image.read(block);
    const auto [carrier, patch] = read_chip(pixels, *peak, multiply);
    const Position at = peak_of(patch);
    const auto offset = static_cast<double>(half_chip_px);
    point.row = static_cast<double>(peak->row) + at.row - offset;
    point.column = static_cast<double>(peak->column) + at.column - offset;
    point.found = grid.at(point.row, point.column);
    const PixelSize pixel_m = pixel_size(grid);
    point.east_m = (point.found.x - target.place.x) / std::abs(grid.x_step) * pixel_m.across_m;
    point.north_m = (point.found.y - target.place.y) / std::abs(grid.y_step) * pixel_m.down_m;
    const std::vector<double> row{at.row}, column{at.column};
    point.magnitude = std::abs(patch.at(row, column)(0, 0));
    if (target.truth) {
        const double down = grid.row_at(target.place.y) - static_cast<double>(peak->row),
                     right = grid.column_at(target.place.x) - static_cast<double>(peak->column);
        const std::vector<double> true_row{offset + down}, true_column{offset + right};
        const double whole_cycles = std::round(target.truth->cycles_down - carrier.down) * down +
                                    std::round(target.truth->cycles_across - carrier.across) * right;
        point.over_truth = patch.at(true_row, true_column)(0, 0) *
                           std::polar(1.0, 2 * std::numbers::pi * (carrier.cycles(down, right) + whole_cycles)) /
                           target.truth->amplitude;
    }
    point.pixel_phase_deg = std::arg(pixels.at(std::llround(point.row), std::llround(point.column))) / degree;
    constexpr int per_pixel = 16, each_way = per_pixel * (half_chip_px - fading_px);
    constexpr double step_px = 1.0 / per_pixel;
    point.across = metrics_of(patch.at(row, about(at.column, step_px, each_way)), step_px, pixel_m.across_m);
    point.down = metrics_of(patch.at(about(at.row, step_px, each_way), column), step_px, pixel_m.down_m);
    return point;
}

std::vector<MapTarget> strongest_map_points(const ImageView& image, int count) {
    constexpr std::int64_t separation_px = 32;
    const MapGrid& grid = map_of(image.header());
    std::vector<BrightPixel> taken;
    for (const BrightPixel& pixel : bright_pixels(image, separation_px)) {
        if (std::ssize(taken) >= count) break;
        const auto near_edge = [](std::int64_t at, std::int64_t pixels) {
            return at < half_chip_px || at + half_chip_px > pixels;
        };
        if (near_edge(pixel.row, grid.rows) || near_edge(pixel.column, grid.columns)) continue;
        if (!is_apart(pixel, taken, separation_px)) continue;
        taken.push_back(pixel);
    }
    std::vector<MapTarget> targets;
    for (const BrightPixel& pixel : taken)
        targets.push_back({grid.at(static_cast<double>(pixel.row), static_cast<double>(pixel.column)), false});
    return targets;
}

}  // namespace cornerturn
