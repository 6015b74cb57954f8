// SPDX-License-Identifier: Apache-2.0
#include "kernels/back_projection/accumulation_plan.h"

#include <algorithm>
#include <atomic>
#include <complex>
#include <numbers>
#include <optional>
#include <set>
#include <utility>

#include "kernels/host/vector_clones.h"

namespace cornerturn {
namespace {

/// Numbers from 0 to count - 1, first and last among them, evenly.
std::set<std::int64_t> spread(std::int64_t count, std::int64_t most) {
    std::set<std::int64_t> numbers;
    for (std::int64_t i = 0; i < most; ++i) numbers.insert(most > 1 ? (count - 1) * i / (most - 1) : 0);
    return numbers;
}

CT_VECTOR_CLONES void find_arrivals_of(const CompressedTiming& timing, const PulsePath* paths, std::int64_t every,
                                       std::int64_t count, const Place& place, Arrival* to) {
    const CompressedTiming at = timing;
    const Place of = place;
    for (std::int64_t i = 0; i < count; ++i) to[i] = arrival(at, paths[i * every], of);
}

/// Of the change of weights for each Hz, over a window.
double mean_square_slope(const DopplerWindow& window) {
    if (window.weight.empty()) return 0;
    float sum = 0;
    for (std::size_t i = 1; i < window.weight.size(); ++i) {
        const float change = window.weight[i] - window.weight[i - 1];
        sum += change * change;
    }
    const double per_hz = view_of(window, window.weight.data()).per_hz;
    return static_cast<double>(sum) * per_hz * per_hz / static_cast<double>(window.weight.size() - 1);
}

/// What grows with the distance from a block's middle line is in the mean square a third of what it is at both ends, in
/// long blocks; in blocks of few lines it is more: so many times as much.
double thirds_of_ends(std::int64_t lines) {
    const auto before = static_cast<double>(lines / 2), behind = static_cast<double>(lines - 1) - before;
    const auto squares = [](double n) { return n * (n + 1) * (2 * n + 1) / 6; };
    const double of_ends = 0.5 * (before * before + behind * behind);
    return of_ends > 0 ? 3 * (squares(before) + squares(behind)) / static_cast<double>(lines) / of_ends : 1;
}

}  // namespace

/// Of a map's hundred million pixels by all threads.
double AccumulationGeometry::largest_relief_m() const {
    const auto count = static_cast<std::int64_t>(relief_m.size());
    float most = 0;
#pragma omp parallel for reduction(max : most)
    for (std::int64_t i = 0; i < count; ++i) most = std::max(most, std::fabs(relief_m[static_cast<std::size_t>(i)]));
    return static_cast<double>(most);
}

void find_arrivals(const CompressedTiming& timing, const std::vector<PulsePath>& paths, std::int64_t first,
                   std::int64_t every, std::int64_t count, const Place& place, Arrival* to) {
    find_arrivals_of(timing, paths.data() + first, every, count, place, to);
}

Tile::Tile(const Accumulation& pass, const AccumulationGeometry& geometry, const TiledImage& image, std::int64_t tile_x,
           std::int64_t tile_y)
    : pass_(pass),
      geometry_(geometry),
      image_(image),
      scale_(image),
      mesh_(view_of(geometry.pixels)),
      window_(view_of(pass.window, pass.window.weight.data())),
      mean_square_slope_(mean_square_slope(pass.window)),
      centre_x_(static_cast<double>(image.middle_x(tile_x))),
      centre_y_(static_cast<double>(image.middle_y(tile_y))) {
    find_heights(image.middle(tile_x, tile_y));
    for (int i = 0; i < tile_points; ++i)
        points_[static_cast<std::size_t>(i)] = tile_point(image, mesh_, centre_x_, centre_y_, i, heights_);
}

void Tile::find_heights(const TilePixel& middle) {
    if (geometry_.relief_m.empty()) return;
    const auto for_pixels = [&](const auto& what) {
        for (int i = 0; i < image_.tile.across; ++i)
            for (int k = 0; k < image_.tile.along; ++k) {
                const int x = i - image_.tile.across / 2, y = k - image_.tile.along / 2;
                const TilePixel at = image_.nearest(image_.pixel(middle, x, y));
                what(x, y, at, geometry_.relief_at_m(image_.number(at)));
            }
    };
    const auto about = [&](const TileSurface& surface_m, std::vector<TilePixel>& extremes) {
        double least = INFINITY, most = -INFINITY;
        extremes.resize(2);
        for_pixels([&](int x, int y, const TilePixel& at, double relief_m) {
            const double height_m = relief_m - surface_m.at(x, y);
            if (height_m < least) least = height_m, extremes[0] = at;
            if (height_m > most) most = height_m, extremes[1] = at;
        });
        return heights_about(surface_m, least, most);
    };
    ReliefSums sums;
    for_pixels([&](int x, int y, const TilePixel&, double relief_m) { sums.add(image_.tile, x, y, relief_m); });
    heights_ = about({}, extremes_);
    std::vector<TilePixel> extremes;
    const TileHeights bent = about(sums.surface(image_.tile), extremes);
    if (is_worth_it(bent, heights_)) heights_ = bent, extremes_ = std::move(extremes);
}

TileLine Tile::line(std::int64_t number, AlongPhase along) const {
    const auto through = [&]<int Points>() {
        std::array<Arrival, Points + 1> at;
        for (std::size_t i = 0; i < at.size(); ++i)
            at[i] = arrival(pass_.timing, path(number),
                            points_[static_cast<std::size_t>(point_at<Points>(static_cast<int>(i)))].place);
        return whole_tile_line<Points>(scale_, at.data(), 1, points_.data());
    };
    return along == AlongPhase::curved ? through.operator()<points_of_biquadratic>()
                                       : through.operator()<points_of_quadratic>();
}

IndexRange Tile::lines() const {
    if (pass_.window.weight.empty()) return {0, pass_.lines};
    constexpr std::int64_t at_a_time = 256;
    std::array<Arrival, points_of_slopes * at_a_time> at;
    IndexRange lines{pass_.lines, 0};
    const auto look = [&](std::int64_t first, std::int64_t count) {
        for (std::size_t i = 0; i < points_of_slopes; ++i)
            find_arrivals(pass_.timing, geometry_.paths, first, looked_at_every, count, points_[i].place,
                          at.data() + i * at_a_time);
        for (std::int64_t i = 0; i < count; ++i)
            if (weighs(window_, scale_,
                       tile_line<points_of_slopes>(scale_, at.data() + i, at_a_time, points_.data()))) {
                const std::int64_t line = first + i * looked_at_every;
                lines = {std::min(lines.first, line - looked_at_every),
                         std::max(lines.last, line + looked_at_every + 1)};
            }
    };
    const std::int64_t looks = (pass_.lines + looked_at_every - 1) / looked_at_every;
    for (std::int64_t first = 0; first < looks; first += at_a_time)
        look(first * looked_at_every, std::min(at_a_time, looks - first));
    look(pass_.lines - 1, 1);
    return lines.first < lines.last ? recorded(lines, pass_.lines) : IndexRange{0, 0};
}

Tile::Pixel Tile::pixel(double near_x, double near_y) const {
    const auto within = [](double at, std::int64_t count) {
        return std::clamp<double>(std::round(at), 0, static_cast<double>(count - 1));
    };
    const double x = within(near_x, image_.across), y = within(near_y, image_.along);
    const PixelNode node = image_.node(mesh_, x, y);
    const double relief_m =
        geometry_.relief_at_m(image_.number({static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)}));
    const double of_tile_x = x - centre_x_, of_tile_y = y - centre_y_ - image_.shear * of_tile_x;
    return {of_tile_x, of_tile_y, relief_m - heights_.surface_m.at(of_tile_x, of_tile_y), raised(node, relief_m),
            node.centroid_hz};
}

void Tile::add_extremes(std::vector<Pixel>& pixels) const {
    for (const TilePixel& at : extremes_) pixels.push_back(pixel(static_cast<double>(at.x), static_cast<double>(at.y)));
}

Tile::Pixel Tile::pixel_at(double part_x, double part_y) const {
    const double x = part_x * scale_.half_x, y = part_y * scale_.half_y;
    return pixel(centre_x_ + x, centre_y_ + y + image_.shear * x);
}

double Tile::beyond(std::int64_t number, const TileLine& line, const Pixel& at) const {
    return line.beyond(exact(number, at).cycles, at.x, at.y, at.height_m);
}

/// Phase of the line in a block's middle, less what is linear in it, at each pixel.
std::vector<double> Tile::bends(const TileMethod& method, IndexRange lines, std::int64_t middle_number,
                                const TileLine& middle, const std::vector<Pixel>& pixels) const {
    std::vector<double> bends;
    if (method.framing == Framing::quartic) return quartic_bends(middle_number, middle, pixels);
    for (const Pixel& at : pixels) bends.push_back(middle.bend(at.x, at.y, at.height_m));
    if (method.framing == Framing::exact)
        for (std::size_t i = 0; i < pixels.size(); ++i) bends[i] += beyond(middle_number, middle, pixels[i]);
    if (method.framing != Framing::followed) return bends;
    const KeyLines keys(segment_of(lines, method.segment_lines, middle_number));
    std::array<TileLine, KeyLines::count> line_of_key;
    for (int key = 0; key < KeyLines::count; ++key)
        line_of_key[static_cast<std::size_t>(key)] = line(keys.line(key), method.along);
    const auto place = static_cast<float>(keys.place(middle_number));
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        double at_key[KeyLines::count];
        for (int key = 0; key < KeyLines::count; ++key)
            at_key[key] = beyond(keys.line(key), line_of_key[static_cast<std::size_t>(key)], pixels[i]);
        bends[i] += at_key[1] + static_cast<double>(FollowedPixel(at_key[0], at_key[1], at_key[2]).from_middle(place));
    }
    return bends;
}

std::vector<double> Tile::quartic_bends(std::int64_t middle_number, const TileLine& middle,
                                        const std::vector<Pixel>& pixels) const {
    std::array<std::array<double, quartic_nodes>, quartic_nodes> cycles;
    for (int x = 0; x < quartic_nodes; ++x)
        for (int y = 0; y < quartic_nodes; ++y)
            cycles[static_cast<std::size_t>(x)][static_cast<std::size_t>(y)] =
                arrival(pass_.timing, path(middle_number), quartic_place(image_, mesh_, centre_x_, centre_y_, x, y))
                    .cycles;
    const auto at_node = [&](int x, int y) { return cycles[static_cast<std::size_t>(x)][static_cast<std::size_t>(y)]; };
    std::vector<double> bends;
    for (const Pixel& at : pixels)
        bends.push_back(quartic_at(at.x / scale_.half_x, at.y / scale_.half_y, at_node) - middle.cycles.value -
                        middle.cycles.x * at.x - middle.cycles.y * at.y);
    return bends;
}

/// What a device computes with a line, in double precision.
struct Tile::Approximation {
    double cell, cycles, offset_hz;
    std::complex<double> turn;  ///< beyond the cycles: 1, but for what straight steps make of it
};
Tile::Approximation Tile::approximation(const TileMethod& method, const TileLine& middle, const TileLine& line,
                                        const Pixel& at, double bent) const {
    const AddedPhase added = added_phase(method.along, method.bends, line, middle, cells_per_cycle(), heights_.half_m);
    const SeenPixel seen = seen_pixel(method.along, line, middle, added, cells_per_cycle(), at.x, at.y, bent);
    const double cell = line.cell + seen.cell, cycles = line.cycles.value + seen.cycles;
    const double offset_hz = offset_of(method.along, line, middle).at(at.x, at.y);
    if (method.along != AlongPhase::straight) return {cell, cycles, offset_hz, 1};
    const double turn = 2 * std::numbers::pi * (added.over_pixels(at.x, at.y) - added.over_pixels(at.x, 0));
    return {cell, cycles, offset_hz, std::complex<double>(1, turn) * std::polar(1.0, -turn)};
}

/// Energy of what is neglected, of that of the samples.
struct Tile::Neglected {
    double change_per_cell;    ///< of a sample, of its size
    double mean_square_slope;  ///< of the window: lines in its fades are too few for all to be looked at
    double error = 0, signal = 0;

    void add(const Approximation& got, const Arrival& exact, double exact_offset_hz, double exact_weight,
             double between_cells) {
        if (exact_weight == 0) return;
        const double of_cell = (got.cell - exact.cell) * change_per_cell, of_turn = between_cells * change_per_cell,
                     weight2 = exact_weight * exact_weight, offset_hz = got.offset_hz - exact_offset_hz;
        const std::complex<double> turned =
            got.turn * std::polar(1.0, 2 * std::numbers::pi * (got.cycles - exact.cycles));
        error += weight2 * (std::norm(turned - 1.0) + of_cell * of_cell + of_turn * of_turn) +
                 offset_hz * offset_hz * mean_square_slope;
        signal += weight2;
    }
};

/// False: phase changes too fast for its steps.
bool Tile::neglect(Neglected& neglected, const TileMethod& method, const TileLine& middle, std::int64_t number,
                   const std::vector<Pixel>& pixels, const std::vector<double>& bends) const {
    const TileLine seen = line(number, method.along);
    const AddedPhase added = added_phase(method.along, method.bends, seen, middle, cells_per_cycle(), heights_.half_m);
    const double between_cells = 2 * std::numbers::pi * added.per_cell * left_between_cells(method.along, method.bends);
    if (steps(method.along) && std::fabs(seen.cycles.y - middle.cycles.y) > method.largest_step_cycles) return false;
    if (method.along == AlongPhase::curved) {
        const double curve =
            scale_.half_y * scale_.half_y *
            (std::fabs(added.pixels.yy) +
             scale_.half_x * (std::fabs(added.pixels.xyy) + scale_.half_x * std::fabs(added.pixels.xxyy)));
        if (curve > largest_curve_cycles) return false;
    }
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        const Arrival arrived = exact(number, pixels[i]);
        const double offset_hz = arrived.row_hz - pixels[i].centroid_hz;
        neglected.add(approximation(method, middle, seen, pixels[i], bends[i]), arrived, offset_hz,
                      window_.at(offset_hz), between_cells);
    }
    return true;
}

double Tile::block_signal_to_error_db(IndexRange block, const TileMethod& method, double weight) const {
    // Weights are as far off in shorter blocks.
    Neglected neglected{pass_.occupied * std::numbers::pi / std::numbers::sqrt3, 0};
    // Parts of the golden mean fill the tile evenly.
    const auto between = [&](double step) {
        const double at = 0.5 + step * static_cast<double>(block.first);
        return 1.8 * (at - std::floor(at)) - 0.9;
    };
    std::vector<Pixel> pixels;
    for (const auto& [x, y] :
         {std::pair{-0.9, -0.9}, {0.9, -0.9}, {-0.9, 0.9}, {0.9, 0.9}, {between(0.7548776662), between(0.5698402910)}})
        pixels.push_back(pixel_at(x, y));
    add_extremes(pixels);
    const std::int64_t middle_number = (block.first + block.last) / 2;
    const TileLine middle = line(middle_number, method.along);
    const std::vector<double> bends = this->bends(method, block, middle_number, middle, pixels);
    for (const std::int64_t number : {block.first, block.last - 1})
        if (!neglect(neglected, method, middle, number, pixels, bends)) return -INFINITY;
    const double signal = 2 * weight * static_cast<double>(pixels.size()),
                 error = thirds_of_ends(block.last - block.first) * neglected.error;
    return std::isfinite(error) ? -10 * std::log10(std::max(error / signal, 1e-30)) : -INFINITY;
}

double Tile::signal_to_error_db(IndexRange lines, const TileMethod& method, int block_lines, int looks) const {
    Neglected neglected{pass_.occupied * std::numbers::pi / std::numbers::sqrt3, mean_square_slope_};
    std::vector<Pixel> pixels;
    const auto part = [=](int i) { return looks > 1 ? 1.8 * i / (looks - 1) - 0.9 : 0.0; };
    for (int x = 0; x < looks; ++x)
        for (int y = 0; y < looks; ++y) pixels.push_back(pixel_at(part(x), part(y)));
    add_extremes(pixels);
    const std::int64_t count = lines.last - lines.first, blocks = (count + block_lines - 1) / block_lines;
    // As many lines of short blocks: each pixel's window may hold few of the tile's lines.
    const int lines_looked_at = 2 * looks + 3, of_block = std::min(block_lines, lines_looked_at);
    for (const std::int64_t block : spread(blocks, looks * lines_looked_at / of_block)) {
        const std::int64_t first = lines.first + block * block_lines,
                           in_block = std::min<std::int64_t>(block_lines, lines.last - first);
        const TileLine middle = line(first + in_block / 2, method.along);
        const std::vector<double> bends = this->bends(method, lines, first + in_block / 2, middle, pixels);
        // Where a block holds all that the window does, its first, middle and last line tell nothing.
        for (const std::int64_t number : spread(in_block, lines_looked_at)) {
            if (!neglect(neglected, method, middle, first + number, pixels, bends)) return -INFINITY;
        }
    }
    if (!(neglected.signal > 0)) return INFINITY;
    return std::isfinite(neglected.error) ? -10 * std::log10(std::max(neglected.error / neglected.signal, 1e-30))
                                          : -INFINITY;
}

TiledImage tiled_image(const Accumulation& pass, const AccumulationGeometry& geometry, TileShape tile, Shear shear) {
    if (pass.rows == 0 || pass.columns == 0 || pass.lines == 0) return {pass.rows, pass.columns, true, tile};
    const PixelMeshView mesh = view_of(geometry.pixels);
    const double row = 0.5 * static_cast<double>(pass.rows - 1), column = 0.5 * static_cast<double>(pass.columns - 1);
    const auto cell = [&](double r, double c) {
        return arrival(pass.timing, geometry.paths[geometry.paths.size() / 2], mesh.at(r, c).place).cell;
    };
    const double over_rows = cell(row + 0.5, column) - cell(row - 0.5, column),
                 over_columns = cell(row, column + 0.5) - cell(row, column - 0.5);
    const bool columns_along = std::fabs(over_columns) >= std::fabs(over_rows);
    TiledImage image{columns_along ? pass.rows : pass.columns, columns_along ? pass.columns : pass.rows, columns_along,
                     tile};
    // Of shorter images too many of a sheared tile's pixels lie beyond.
    constexpr std::int64_t slants_along = 8;
    const double over_across = columns_along ? over_rows : over_columns,
                 over_along = columns_along ? over_columns : over_rows;
    if (shear == Shear::where_it_pays && image.along >= slants_along * tile.across && over_along != 0)
        image.shear = static_cast<int>(-std::round(over_across / over_along));
    return image;
}

SampledTiles::SampledTiles(const Accumulation& pass, const AccumulationGeometry& geometry, const TiledImage& image) {
    constexpr std::int64_t tiles = 4;
    std::vector<TilePixel> places;
    for (const std::int64_t x : spread(image.tiles_across(), tiles))
        for (const std::int64_t y : spread(image.tiles_along() - 2 * image.cut_tiles(), tiles))
            places.push_back({x, image.cut_tiles() + y});
    std::vector<std::optional<Sample>> found(places.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Tile tile(pass, geometry, image, places[i].x, places[i].y);
        found[i].emplace(Sample{tile, tile.lines(), 0});
    }
    for (std::optional<Sample>& sample : found) {
        auto& [tile, lines, cells] = *sample;
        if (lines.first == lines.last) continue;
        for (const std::int64_t number : spread(lines.last - lines.first, looks)) {
            const TileLine line = tile.line(lines.first + number, AlongPhase::stepped);
            cells = std::max(cells, cells_of(image.tile, line, tile.heights(), tile.cells_per_cycle()));
            offsets_along_hz_ = std::max(offsets_along_hz_, std::fabs(line.offset_hz.y) * image.tile.along);
        }
        cells_ = std::max(cells_, cells);
        samples_.push_back(*sample);
    }
}

bool SampledTiles::hold(const TileMethod& method, int block_lines, double entries, double least_db) const {
    if (cells_ > entries) return false;
    std::atomic<bool> held = true;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < samples_.size(); ++i)
        if (held && !samples_[i].holds(method, block_lines, entries, least_db)) held = false;
    return held;
}

double SampledTiles::part_that_holds(const TileMethod& method, int block_lines, double entries, double least_db) const {
    if (samples_.empty()) return 1;
    int held = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : held)
    for (std::size_t i = 0; i < samples_.size(); ++i)
        held += samples_[i].holds(method, block_lines, entries, least_db) ? 1 : 0;
    return static_cast<double>(held) / static_cast<double>(samples_.size());
}

double SampledTiles::signal_to_error_db(const TileMethod& method, int block_lines) const {
    double worst_db = INFINITY;
    for (const Sample& sample : samples_)
        worst_db = std::min(worst_db, sample.tile.signal_to_error_db(sample.lines, method, block_lines, looks));
    return worst_db;
}

}  // namespace cornerturn
