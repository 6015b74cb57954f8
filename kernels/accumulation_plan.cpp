// SPDX-License-Identifier: Apache-2.0
#include "kernels/accumulation_plan.h"

#include <algorithm>
#include <numbers>
#include <set>

#include "kernels/host/vector_clones.h"

namespace cornerturn {
namespace {

double squared(double x) { return x * x; }

double bend(const TileQuadratic& q, double x, double y) { return x * (x * q.xx + y * q.xy) + y * y * q.yy; }

/// Numbers from 0 to count - 1, first and last among them, evenly.
std::set<std::int64_t> spread(std::int64_t count, std::int64_t most) {
    std::set<std::int64_t> numbers;
    for (std::int64_t i = 0; i < most; ++i) numbers.insert(most > 1 ? (count - 1) * i / (most - 1) : 0);
    return numbers;
}

CT_VECTOR_CLONES void find_arrivals_of(const CompressedTiming& timing, const PulsePath* paths, std::int64_t every, std::int64_t count,
                                       const Place& place, Arrival* to) {
    const CompressedTiming at = timing;
    const Place of = place;
    for (std::int64_t i = 0; i < count; ++i) to[i] = arrival(at, paths[i * every], of);
}

}  // namespace

void find_arrivals(const CompressedTiming& timing, const std::vector<PulsePath>& paths, std::int64_t first, std::int64_t every,
                   std::int64_t count, const Place& place, Arrival* to) {
    find_arrivals_of(timing, paths.data() + first, every, count, place, to);
}

Tile::Tile(const Accumulation& pass, const AccumulationGeometry& geometry, const TiledImage& image, std::int64_t tile_x,
           std::int64_t tile_y, double base_m, double half_m)
    : pass_(pass),
      geometry_(geometry),
      image_(image),
      scale_(image),
      mesh_(view_of(geometry.pixels)),
      window_(view_of(pass.window, pass.window.weight.data())),
      base_m_(base_m),
      centre_x_(static_cast<double>(TiledImage::first_of(tile_x, image.tile.across, image.across) + image.tile.across / 2)),
      centre_y_(static_cast<double>(TiledImage::first_of(tile_y, image.tile.along, image.along) + image.tile.along / 2)) {
    for (int i = 0; i < tile_points; ++i) points_[static_cast<std::size_t>(i)] = tile_point(image, mesh_, centre_x_, centre_y_, i, base_m);
    if (half_m > 0) {
        const PulsePath& middle = path(pass.lines / 2);
        const double cells_per_m =
            arrival(pass.timing, middle, points_[raised_point].place).cell - arrival(pass.timing, middle, points_[0].place).cell;
        constexpr double cells_that_matter = 0.3;
        rises_ = half_m * std::fabs(cells_per_m) > cells_that_matter;
    }
}

TileLine Tile::line(std::int64_t number) const {
    std::array<Arrival, tile_points> at;
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = arrival(pass_.timing, path(number), points_[i].place);
    TileLine line = tile_line<points_of_quadratic>(scale_, at.data(), 1, points_.data());
    line.rise_cycles = at[raised_point].cycles - at[0].cycles;
    return line;
}

IndexRange Tile::lines() const {
    if (pass_.window.weight.empty()) return {0, pass_.lines};
    constexpr std::int64_t at_a_time = 256;
    std::array<Arrival, points_of_slopes * at_a_time> at;
    IndexRange lines{pass_.lines, 0};
    const std::int64_t looks = (pass_.lines + looked_at_every - 1) / looked_at_every;
    for (std::int64_t first = 0; first < looks; first += at_a_time) {
        const std::int64_t count = std::min(at_a_time, looks - first);
        for (std::size_t i = 0; i < points_of_slopes; ++i)
            find_arrivals(pass_.timing, geometry_.paths, first * looked_at_every, looked_at_every, count, points_[i].place,
                          at.data() + i * at_a_time);
        for (std::int64_t i = 0; i < count; ++i)
            if (weighs(window_, scale_, tile_line<points_of_slopes>(scale_, at.data() + i, at_a_time, points_.data()))) {
                const std::int64_t line = (first + i) * looked_at_every;
                lines = {std::min(lines.first, line - looked_at_every), std::max(lines.last, line + looked_at_every + 1)};
            }
    }
    return lines.first < lines.last ? recorded(lines, pass_.lines) : IndexRange{0, 0};
}

Tile::Pixel Tile::pixel(double near_x, double near_y) const {
    const auto within = [](double at, std::int64_t count) { return std::clamp<double>(std::round(at), 0, static_cast<double>(count - 1)); };
    const double x = within(near_x, image_.across), y = within(near_y, image_.along);
    const PixelNode node = image_.node(mesh_, x, y);
    const auto ix = static_cast<std::int64_t>(x), iy = static_cast<std::int64_t>(y);
    const double relief_m = geometry_.relief_at_m(image_.row(ix, iy) * pass_.columns + image_.column(ix, iy));
    return {x - centre_x_, y - centre_y_, relief_m - base_m_, raised(node, relief_m), node.centroid_hz};
}

/// Phase of the line in a block's middle, less what is linear in it.
double Tile::bent(Framing framing, std::int64_t middle_number, const TileLine& middle, const Pixel& at) const {
    if (framing == Framing::quadratic) return bend(middle.cycles, at.x, at.y) + middle.rise_cycles * at.relief_m;
    return exact(middle_number, at).cycles - middle.cycles.value - middle.cycles.x * at.x - middle.cycles.y * at.y;
}

/// What a device computes with a line, in double precision.
struct Tile::Approximation {
    double cell, cycles, weight;
};
Tile::Approximation Tile::approximation(AlongPhase along, Framing framing, const TileLine& middle, const TileLine& line, const Pixel& at,
                                        double bent) const {
    const double cells_per_cycle = pass_.timing.cell_rate_hz / pass_.timing.carrier_hz;
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
        const SteppedPhase stepped = stepped_phase(line, middle, cells_per_cycle, rises_);
        cycles += framing == Framing::quadratic ? more_x * at.x + more_y * at.y + bends
                                                : cell * (stepped.per_cell + cell * stepped.per_cell2) +
                                                      at.x * (stepped.x + at.x * stepped.xx + at.y * stepped.xy) + at.y * stepped.y;
    }
    const double offset_hz = line.offset_hz + line.offset_x * at.x;
    if (framing == Framing::exact) {
        const double bends_hz = at.x * (at.x * middle.offset_xx + at.y * middle.offset_xy) + at.y * at.y * middle.offset_yy;
        return {line.cell + cell, cycles, window_.at(offset_hz + line.offset_y * at.y + bends_hz)};
    }
    const auto weight = [&](double of_y) { return window_.at(offset_hz + line.offset_y * of_y); };
    const double low = weight(-scale_.half_y), high = weight(scale_.half_y);
    return {line.cell + cell, cycles, low + (high - low) * (0.5 + 0.5 * at.y / scale_.half_y)};
}

/// Energy of what is neglected, of that of the samples. Lines are taken to fill half of the band that their cells could hold.
struct Tile::Neglected {
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

double Tile::signal_to_error_db(IndexRange lines, AlongPhase along, Framing framing, int block_lines, int looks,
                                const std::vector<TilePixel>& also) const {
    Neglected neglected;
    const double cells_per_cycle = pass_.timing.cell_rate_hz / pass_.timing.carrier_hz;
    std::vector<Pixel> pixels;
    const auto part = [=](int i) { return looks > 1 ? 1.8 * i / (looks - 1) - 0.9 : 0.0; };
    for (int x = 0; x < looks; ++x)
        for (int y = 0; y < looks; ++y) pixels.push_back(pixel(centre_x_ + part(x) * scale_.half_x, centre_y_ + part(y) * scale_.half_y));
    for (const TilePixel& at : also) pixels.push_back(pixel(static_cast<double>(at.x), static_cast<double>(at.y)));
    const std::int64_t count = lines.last - lines.first, blocks = (count + block_lines - 1) / block_lines;
    for (const std::int64_t block : spread(blocks, looks)) {
        const std::int64_t first = lines.first + block * block_lines, in_block = std::min<std::int64_t>(block_lines, lines.last - first);
        const TileLine middle = line(first + in_block / 2);
        std::vector<double> bends;
        for (const Pixel& at : pixels) bends.push_back(bent(framing, first + in_block / 2, middle, at));
        // Where a block holds all that the window does, its first, middle and last line tell nothing.
        for (const std::int64_t number : spread(in_block, 2 * looks + 3)) {
            const TileLine seen = line(first + number);
            const double turn_per_cell =
                along == AlongPhase::in_cells ? 2 * std::numbers::pi * (seen.cycles.y - middle.cycles.y) / seen.cell_y
                : framing == Framing::exact   ? 2 * std::numbers::pi * stepped_phase(seen, middle, cells_per_cycle, rises_).per_cell
                                              : 0.0;
            if (along == AlongPhase::stepped && framing == Framing::quadratic &&
                std::fabs(seen.cycles.y - middle.cycles.y) > largest_step_cycles)
                return -INFINITY;
            for (std::size_t i = 0; i < pixels.size(); ++i) {
                const Arrival arrived = exact(first + number, pixels[i]);
                neglected.add(approximation(along, framing, middle, seen, pixels[i], bends[i]), arrived,
                              window_.at(arrived.doppler_hz - pixels[i].centroid_hz), turn_per_cell);
            }
        }
    }
    if (!(neglected.signal > 0)) return INFINITY;
    return std::isfinite(neglected.error) ? -10 * std::log10(std::max(neglected.error / neglected.signal, 1e-30)) : -INFINITY;
}

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

SampledTiles::SampledTiles(const Accumulation& pass, const AccumulationGeometry& geometry, const TiledImage& image) {
    constexpr std::int64_t tiles = 4, looks = 5;
    for (const std::int64_t x : spread(image.tiles_across(), tiles))
        for (const std::int64_t y : spread(image.tiles_along(), tiles)) {
            const Tile tile(pass, geometry, image, x, y);
            const IndexRange lines = tile.lines();
            if (lines.first == lines.last) continue;
            samples_.push_back({tile, lines});
            for (const std::int64_t number : spread(lines.last - lines.first, looks))
                cells_ = std::max(cells_, cells_of(image.tile, tile.line(lines.first + number)));
        }
}

double SampledTiles::signal_to_error_db(AlongPhase along, int block_lines) const {
    constexpr int looks = 5;
    double worst_db = INFINITY;
    for (const Sample& sample : samples_)
        worst_db = std::min(worst_db, sample.tile.signal_to_error_db(sample.lines, along, Framing::quadratic, block_lines, looks));
    return worst_db;
}

}  // namespace cornerturn
