// SPDX-License-Identifier: Apache-2.0
#include "kernels/accumulation_plan.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <set>

namespace cornerturn {
namespace {

double squared(double x) { return x * x; }

/// A tile and what it sees of lines.
class Tile {
public:
    Tile(const Accumulation& pass, const AccumulationGeometry& geometry, const TiledImage& image, std::int64_t tile_x, std::int64_t tile_y)
        : pass_(pass),
          geometry_(geometry),
          image_(image),
          scale_(image),
          mesh_(view_of(geometry.pixels)),
          window_(view_of(pass.window, pass.window.weight.data())),
          centre_x_(static_cast<double>(TiledImage::first_of(tile_x, image.tile.across, image.across) + image.tile.across / 2)),
          centre_y_(static_cast<double>(TiledImage::first_of(tile_y, image.tile.along, image.along) + image.tile.along / 2)) {
        for (int i = 0; i < tile_points; ++i) points_[static_cast<std::size_t>(i)] = tile_point(image, mesh_, centre_x_, centre_y_, i);
    }

    const TileScale& scale() const { return scale_; }
    const DopplerWindowView& window() const { return window_; }

    TileLine line(std::int64_t number) const {
        std::array<Arrival, tile_points> at;
        for (std::size_t i = 0; i < at.size(); ++i) at[i] = arrival(pass_.timing, path(number), points_[i].place);
        TileLine line = tile_line<points_of_quadratic>(scale(), at.data(), 1, points_.data());
        line.rise_cycles = at[raised_point].cycles - at[0].cycles;
        return line;
    }

    /// A pixel as it is.
    struct Pixel {
        double x, y, relief_m;
        Place place;
        double centroid_hz;
    };
    Pixel pixel(double part_x, double part_y) const {
        const auto within = [](double at, std::int64_t count) {
            return std::clamp<double>(std::round(at), 0, static_cast<double>(count - 1));
        };
        const double x = within(centre_x_ + part_x * scale_.half_x, image_.across),
                     y = within(centre_y_ + part_y * scale_.half_y, image_.along);
        const PixelNode node = image_.node(mesh_, x, y);
        const auto ix = static_cast<std::int64_t>(x), iy = static_cast<std::int64_t>(y);
        const double relief_m =
            geometry_.relief_m.empty()
                ? 0.0
                : static_cast<double>(
                      geometry_.relief_m[static_cast<std::size_t>(image_.row(ix, iy) * pass_.columns + image_.column(ix, iy))]);
        return {x - centre_x_, y - centre_y_, relief_m, raised(node, relief_m), node.centroid_hz};
    }

    Arrival exact(std::int64_t number, const Pixel& pixel) const { return arrival(pass_.timing, path(number), pixel.place); }

private:
    const PulsePath& path(std::int64_t number) const { return geometry_.paths[static_cast<std::size_t>(number)]; }

    const Accumulation& pass_;
    const AccumulationGeometry& geometry_;
    const TiledImage& image_;
    TileScale scale_;
    PixelMeshView mesh_;
    DopplerWindowView window_;
    double centre_x_, centre_y_;
    std::array<TilePoint, tile_points> points_;
};

double bend(const TileQuadratic& q, double x, double y) { return x * (x * q.xx + y * q.xy) + y * y * q.yy; }

/// What a device computes with a line, in double precision.
struct Approximation {
    double cell, cycles, weight;
};
Approximation approximation(const Accumulation& pass, const DopplerWindowView& window, AlongPhase along, const TileLine& middle,
                            const TileLine& line, const Tile::Pixel& at, double half_y) {
    const double cells_per_cycle = pass.timing.cell_rate_hz / pass.timing.carrier_hz;
    const double bent = bend(middle.cycles, at.x, at.y) + middle.rise_cycles * at.relief_m;
    const double y = at.y + bent * cells_per_cycle / middle.cell_y;
    double cell = line.cell_x * at.x + line.cell_y * y;
    double cycles = line.cycles.value + middle.cycles.x * at.x + middle.cycles.y * at.y + bent;
    const double more_x = line.cycles.x - middle.cycles.x, more_y = line.cycles.y - middle.cycles.y;
    if (along == AlongPhase::in_cells) {
        const double per_cell = more_y / line.cell_y;
        cycles += per_cell * cell + (more_x - per_cell * line.cell_x) * at.x;
    } else {
        const double bends = (line.cycles.xx - middle.cycles.xx) * at.x * at.x + (line.cycles.xy - middle.cycles.xy) * at.x * at.y;
        cell += (line.cycles.xx - middle.cycles.xx) * cells_per_cycle * at.x * at.x +
                (line.cycles.xy - middle.cycles.xy) * cells_per_cycle * at.x * y;
        cycles += more_x * at.x + more_y * at.y + bends;
    }
    const auto weight = [&](double of_y) { return window.at(line.offset_hz + line.offset_x * at.x + line.offset_y * of_y); };
    const double low = weight(-half_y), high = weight(half_y);
    return {line.cell + cell, cycles, low + (high - low) * (0.5 + 0.5 * at.y / half_y)};
}

/// Numbers from 0 to count - 1, first and last among them, evenly.
std::set<std::int64_t> spread(std::int64_t count, std::int64_t most) {
    std::set<std::int64_t> numbers;
    for (std::int64_t i = 0; i < most; ++i) numbers.insert(most > 1 ? (count - 1) * i / (most - 1) : 0);
    return numbers;
}

/// Energy of what is neglected, of that of the samples. Lines are taken to fill half of the band that their cells could hold.
struct Neglected {
    double error = 0, signal = 0;

    void add(const Approximation& got, const Arrival& exact, double exact_weight, double turn_per_cell) {
        constexpr double change_per_cell = std::numbers::pi / 3.4641;  // of a sample, of its size
        constexpr double interpolated = 0.18;                          // root of the mean of (w (1 - w))^2
        const double phase = 2 * std::numbers::pi * (got.cycles - exact.cycles), cell = (got.cell - exact.cell) * change_per_cell;
        error += squared(exact_weight) * (squared(phase) + squared(cell) + squared(turn_per_cell * interpolated * change_per_cell)) +
                 squared(got.weight - exact_weight);
        signal += squared(exact_weight);
    }
};

double neglected_db(const Accumulation& pass, const Tile& tile, IndexRange lines, AlongPhase along, int block_lines) {
    Neglected neglected;
    constexpr std::array parts{-0.9, -0.45, 0.0, 0.45, 0.9};
    std::vector<Tile::Pixel> pixels;
    for (const double x : parts)
        for (const double y : parts) pixels.push_back(tile.pixel(x, y));
    const std::int64_t count = lines.last - lines.first, blocks = (count + block_lines - 1) / block_lines;
    for (const std::int64_t block : spread(blocks, 5)) {
        const std::int64_t first = lines.first + block * block_lines, in_block = std::min<std::int64_t>(block_lines, lines.last - first);
        const TileLine middle = tile.line(first + in_block / 2);
        for (const std::int64_t number : spread(in_block, 4)) {
            const TileLine line = tile.line(first + number);
            const double turn_per_cell =
                along == AlongPhase::in_cells ? 2 * std::numbers::pi * (line.cycles.y - middle.cycles.y) / line.cell_y : 0.0;
            if (along == AlongPhase::stepped && std::fabs(line.cycles.y - middle.cycles.y) > largest_step_cycles) return -INFINITY;
            for (const Tile::Pixel& pixel : pixels) {
                const Arrival exact = tile.exact(first + number, pixel);
                neglected.add(approximation(pass, tile.window(), along, middle, line, pixel, tile.scale().half_y), exact,
                              tile.window().at(exact.doppler_hz - pixel.centroid_hz), turn_per_cell);
            }
        }
    }
    if (!(neglected.signal > 0)) return INFINITY;
    return std::isfinite(neglected.error) ? -10 * std::log10(std::max(neglected.error / neglected.signal, 1e-30)) : -INFINITY;
}

}  // namespace

TiledImage tiled_image(const Accumulation& pass, const AccumulationGeometry& geometry, TileShape tile) {
    if (pass.rows == 0 || pass.columns == 0 || pass.lines == 0) return {pass.rows, pass.columns, true, tile};
    const PixelMeshView mesh = view_of(geometry.pixels);
    const double row = 0.5 * static_cast<double>(pass.rows - 1), column = 0.5 * static_cast<double>(pass.columns - 1);
    const auto cell = [&](double r, double c) {
        return arrival(pass.timing, geometry.paths[geometry.paths.size() / 2], mesh.at(r, c).place).cell;
    };
    const double over_rows = cell(row + 0.5, column) - cell(row - 0.5, column),
                 over_columns = cell(row, column + 0.5) - cell(row, column - 0.5);
    const bool columns_along = std::fabs(over_columns) >= std::fabs(over_rows);
    return {columns_along ? pass.rows : pass.columns, columns_along ? pass.columns : pass.rows, columns_along, tile};
}

IndexRange lines_of_tile(const Accumulation& pass, const AccumulationGeometry& geometry, const TiledImage& image, std::int64_t tile_x,
                         std::int64_t tile_y) {
    if (pass.window.weight.empty()) return {0, pass.lines};
    const Tile tile(pass, geometry, image, tile_x, tile_y);
    IndexRange lines{pass.lines, 0};
    for (std::int64_t line = 0; line < pass.lines; line += looked_at_every)
        if (weighs(tile.window(), tile.scale(), tile.line(line)))
            lines = {std::min(lines.first, line - looked_at_every), std::max(lines.last, line + looked_at_every + 1)};
    return lines.first < lines.last ? recorded(lines, pass.lines) : IndexRange{0, 0};
}

TileError tile_error(const Accumulation& pass, const AccumulationGeometry& geometry, const TiledImage& image, AlongPhase along,
                     int block_lines) {
    TileError worst{INFINITY, 0};
    constexpr std::int64_t tiles = 4;
    for (const std::int64_t x : spread(image.tiles_across(), tiles))
        for (const std::int64_t y : spread(image.tiles_along(), tiles)) {
            const IndexRange lines = lines_of_tile(pass, geometry, image, x, y);
            if (lines.first == lines.last) continue;
            const Tile tile(pass, geometry, image, x, y);
            worst.signal_to_error_db = std::min(worst.signal_to_error_db, neglected_db(pass, tile, lines, along, block_lines));
            for (const std::int64_t number : spread(lines.last - lines.first, 5)) {
                const TileLine line = tile.line(lines.first + number);
                worst.cells = std::max(worst.cells, cells_of(image.tile, line));
            }
        }
    return worst;
}

}  // namespace cornerturn
