// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tiles/tiled_accumulation.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

#include "kernels/cpu/tiles/tile_polynomial.h"
#include "kernels/cpu/tiles/tile_sums.h"
#include "kernels/host/line_loop.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

/// Shapes of tiles, each with the most lines that a block may have; it takes half as many until it holds. The first is
/// taken where it holds, of the others that of least cost.
constexpr CpuTiling tilings[] = {{{256, 32}, AlongPhase::in_cells, 256}, {{128, 32}, AlongPhase::curved, 256},
                                 {{128, 32}, AlongPhase::stepped, 256},  {{64, 32}, AlongPhase::curved, 256},
                                 {{64, 32}, AlongPhase::stepped, 256},   {{32, 16}, AlongPhase::curved, 256}};
/// Into which a tile is taken apart whose frames are no polynomials over all of it.
constexpr TileShape smaller_tiles[] = {{64, 32}, {32, 16}, {16, 8}};
constexpr int most_block_lines = 256;
/// A block of one line is the exact sum: a frame in double precision for each line, single precision about it. Where
/// cells hold the phase it is not worth having; over hills such short blocks were seen to miss 100 dB by 3.
constexpr int fewest_block_lines(AlongPhase along, bool hills) {
    return along == AlongPhase::in_cells || hills ? 8 : 1;
}
constexpr int most_pixels = 256 * 32, most_across = 256;
constexpr int most_entries = 2048;
constexpr int most_lanes = 16;
/// Rounding and what a few looks miss take so much of what is allowed; more than this is not to be had in single
/// precision.
constexpr double spare_db = 5, best_signal_to_error_db = 103;
static_assert(most_block_lines % lines_of_stage == 0);

/// Of a pixel and a line, in sums whose phase is stepped: where a block begins each pixel is turned, and a line is made
/// ready for each tile. As profiles of an aircraft's echo have it, on an EPYC with AVX-512.
double costs(const CpuTiling& tiling) {
    constexpr double turn = 5, line = 900, curve = 0.15;
    return 1 + (tiling.along == AlongPhase::curved ? curve : 0) + turn / tiling.block_lines +
           line / (tiling.tile.across * tiling.tile.along);
}

/// Aligned for any vector, zero at first.
class Floats {
public:
    explicit Floats(std::size_t count) : data_(static_cast<float*>(::operator new(count * sizeof(float), alignment))) {
        std::fill_n(data_.get(), count, 0.0f);
    }
    float* data() const { return data_.get(); }
    float& operator[](std::size_t i) const { return data_.get()[i]; }

private:
    static constexpr std::align_val_t alignment{64};
    struct Free {
        void operator()(float* p) const { ::operator delete(p, alignment); }
    };
    std::unique_ptr<float[], Free> data_;
};

template <AlongPhase Along, bool Weighted>
CT_FOR_16_LANES void add_16(const TileBlock& block) {
    TileSums<16, Along, Weighted>(block).add();
}
template <AlongPhase Along, bool Weighted>
CT_FOR_8_LANES void add_8(const TileBlock& block) {
    TileSums<8, Along, Weighted>(block).add();
}
template <AlongPhase Along, bool Weighted>
void add_4(const TileBlock& block) {
    TileSums<4, Along, Weighted>(block).add();
}

using AddLines = void (*)(const TileBlock&);
template <AlongPhase Along, bool Weighted>
AddLines adder(int lanes) {
    if (lanes == 16) return add_16<Along, Weighted>;
    if (lanes == 8) return add_8<Along, Weighted>;
    if (lanes == 4) return add_4<Along, Weighted>;
    throw std::logic_error("vectors of back-projection have 4, 8 or 16 lanes");
}
AddLines adder(int lanes, AlongPhase along, bool weighted) {
    using enum AlongPhase;
    if (weighted)
        return along == curved    ? adder<curved, true>(lanes)
               : along == stepped ? adder<stepped, true>(lanes)
                                  : adder<in_cells, true>(lanes);
    return along == curved    ? adder<curved, false>(lanes)
           : along == stepped ? adder<stepped, false>(lanes)
                              : adder<in_cells, false>(lanes);
}

/// Where the pixels of a tile are, from its centre and its middle height. Those outside the image are where its nearest
/// pixel is.
struct TilePixels {
    int count;
    const float *x, *y, *height_m;
};
/// Values of a polynomial at pixels that lie level. Those that follow each other along have the same place across:
/// there it is a polynomial in y alone.
template <int Lanes>
CT_HOST_DEVICE void evaluate_level(const TilePixels& pixels, const TileLayout& layout, const TilePolynomial& polynomial,
                                   double* values) {
    for (int strip = 0; strip < layout.strips; ++strip) {
        double of_y[TilePolynomial::in_y][Lanes];
        for (int lane = 0; lane < Lanes; ++lane) {
            const auto powers = polynomial.of_y_at(pixels.x[layout.first_of(0, strip) + lane]);
            for (std::size_t k = 0; k < TilePolynomial::in_y; ++k) of_y[k][lane] = powers[k];
        }
        for (int group = 0; group < layout.groups; ++group)
            for (int vector = 0; vector < vectors_at_a_time; ++vector) {
                const int first = layout.first_of(group, strip, vector);
                for (int lane = 0; lane < Lanes; ++lane) {
                    const double v = pixels.y[first + lane] * polynomial.per_y;
                    double sum = 0;
                    for (std::size_t k = TilePolynomial::in_y; k-- > 0;) sum = sum * v + of_y[k][lane];
                    values[first + lane] = sum;
                }
            }
    }
}

/// Values of a polynomial at the pixels.
CT_VECTOR_CLONES void evaluate(const TilePixels& pixels, const TileLayout& layout, const TilePolynomial& polynomial,
                               double* values) {
    const TilePolynomial of = polynomial;
    if (of.per_height != 0)
        for (int i = 0; i < pixels.count; ++i) values[i] = of.at(pixels.x[i], pixels.y[i], pixels.height_m[i]);
    else if (layout.lanes == 16)
        evaluate_level<16>(pixels, layout, of, values);
    else if (layout.lanes == 8)
        evaluate_level<8>(pixels, layout, of, values);
    else
        evaluate_level<4>(pixels, layout, of, values);
}

/// What a line adds at places.
CT_VECTOR_CLONES void find_cycles(const CompressedTiming& timing, const PulsePath& path, std::int64_t count,
                                  const Place* places, double* cycles) {
    const CompressedTiming at = timing;
    const PulsePath along = path;
    for (std::int64_t i = 0; i < count; ++i) cycles[i] = arrival(at, along, places[i]).cycles;
}

/// Turns the sums by so many cycles.
CT_VECTOR_CLONES void turn_sums(int count, const double* cycles, const double* less_cycles, float* re, float* im) {
    for (int i = 0; i < count; ++i) {
        const Complex64 turn = unit_phasor<float>(cycles[i] - less_cycles[i]);
        const float a = re[i], b = im[i];
        re[i] = a * turn.re - b * turn.im;
        im[i] = a * turn.im + b * turn.re;
    }
}

CT_VECTOR_CLONES void weigh_sums(int count, const double* weight, float* re, float* im) {
    for (int i = 0; i < count; ++i) {
        const auto w = static_cast<float>(weight[i]);
        re[i] *= w;
        im[i] *= w;
    }
}

/// Places along the tile at which the pixels would lie if nothing bent: what is not linear moves them.
CT_VECTOR_CLONES void bend_along(const TilePixels& pixels, const double* cycles, double linear_x, double linear_y,
                                 double along_per_cycle, float* along) {
    const float *px = pixels.x, *py = pixels.y;
    for (int i = 0; i < pixels.count; ++i) {
        const double x = px[i], y = py[i];
        along[i] = static_cast<float>(y + along_per_cycle * (cycles[i] - linear_x * x - linear_y * y));
    }
}

/// The patch that spans the fewest cells of a line.
TileLayout layout_of(const TileShape& tile, int lanes, const TileLine& line) {
    TileLayout best;
    double least = INFINITY;
    for (const int along : {1, 2, 4}) {
        const int across = lanes / along;
        if (tile.across % across != 0 || tile.along % (along * vectors_at_a_time) != 0) continue;
        const double cells = (across - 1) * std::fabs(line.cell_x) + (along - 1) * std::fabs(line.cell_y);
        if (!(cells < least) && best.lanes != 0) continue;
        least = cells;
        best = {lanes, across, along, tile.across / across, tile.along / (along * vectors_at_a_time)};
    }
    return best;
}

}  // namespace

namespace {
/// Of the weights that are any.
double mean_square(const std::vector<float>& weights) {
    double sum = 0, count = 0;
    for (const double weight : weights)
        if (weight != 0) sum += weight * weight, ++count;
    return count > 0 ? sum / count : 1;
}
}  // namespace

struct TiledAccumulation::Scene {
    Accumulation pass;
    AccumulationGeometry geometry;
    int lanes;
    TiledImage image;
    std::vector<float> window;  ///< with zeros behind
    float largest_weight_bend = 0;
    double level_from_middle = 0;  ///< so far from the window's middle, in entries, all weigh the same
    float level_weight = 1;
    double mean_square_weight = 1;  ///< of the lines that it weighs

    TiledImage in_tiles(const TileShape& tile) const { return {image.across, image.along, image.columns_along, tile}; }

    /// Of a pixel of the tiled image, or of its nearest where it lies outside.
    double relief_at(std::int64_t x, std::int64_t y) const {
        x = std::clamp<std::int64_t>(x, 0, image.across - 1);
        y = std::clamp<std::int64_t>(y, 0, image.along - 1);
        return geometry.relief_at_m(image.row(x, y) * pass.columns + image.column(x, y));
    }
    /// The middle of a tile's heights, and how far they reach from it.
    struct Heights {
        double middle_m = 0, half_m = 0;
        std::vector<TilePixel> extremes = {};  ///< the lowest and the highest
    };
    Heights heights(const TiledImage& tiled, std::int64_t tile_x, std::int64_t tile_y) const {
        if (geometry.relief_m.empty()) return {};
        const std::int64_t first_x = TiledImage::first_of(tile_x, tiled.tile.across, tiled.across);
        const std::int64_t first_y = TiledImage::first_of(tile_y, tiled.tile.along, tiled.along);
        double least = INFINITY, most = -INFINITY;
        std::vector<TilePixel> extremes(2);
        for (int x = 0; x < tiled.tile.across; ++x)
            for (int y = 0; y < tiled.tile.along; ++y) {
                const double height_m = relief_at(first_x + x, first_y + y);
                if (height_m < least) least = height_m, extremes[0] = {first_x + x, first_y + y};
                if (height_m > most) most = height_m, extremes[1] = {first_x + x, first_y + y};
            }
        return {0.5 * (least + most), 0.5 * (most - least), extremes};
    }

    bool holds(const Tile& tile, const Heights& heights, IndexRange lines, AlongPhase along, int block_lines) const {
        const int looks = heights.half_m > 0 ? 5 : 3;  // hills lie anywhere
        return tile.signal_to_error_db(lines, {along, Framing::exact}, block_lines, looks, heights.extremes) >=
               pass.signal_to_error_db + spare_db;
    }
    /// Whether most of the image's tiles hold: some, evenly over it, are asked.
    bool holds(const CpuTiling& tiling) const {
        constexpr std::int64_t each_way = 4;
        int held = 0, asked = 0;
        for (std::int64_t i = 0; i < each_way; ++i)
            for (std::int64_t k = 0; k < each_way; ++k) {
                const std::int64_t x = (image.tiles_across() - 1) * i / (each_way - 1),
                                   y = (image.tiles_along() - 1) * k / (each_way - 1);
                const Heights of_tile = heights(image, x, y);
                const Tile tile(pass, geometry, image, x, y, of_tile.middle_m, of_tile.half_m);
                const IndexRange lines = tile.lines();
                if (lines.first == lines.last) continue;
                ++asked;
                held += holds(tile, of_tile, lines, tiling.along, tiling.block_lines) ? 1 : 0;
            }
        return 4 * held >= 3 * asked;
    }
};

/// Sums tiles, one after the other, in its own memory.
class TiledAccumulation::Worker {
public:
    explicit Worker(const Scene& scene)
        : scene_(scene),
          x_(most_pixels),
          y_(most_pixels),
          height_m_(most_pixels),
          along_(most_pixels),
          re_(most_pixels),
          im_(most_pixels),
          least_(most_pixels / 4),
          most_(most_pixels / 4),
          turned_re_(most_entries + 2 * most_lanes),
          turned_im_(most_entries + 2 * most_lanes),
          table_(lines_of_stage * (8 * most_entries + 8 * most_lanes)),
          phasors_(lines_of_stage * 8 * 4 * most_across),
          weighing_(std::make_unique<LineWeight[]>(lines_of_stage * most_across)),
          cycles_(most_pixels),
          before_(most_pixels),
          reach_(most_pixels / (4 * vectors_at_a_time)),
          lines_(most_block_lines),
          arrivals_(tile_points * most_block_lines) {}

    /// How many of its tiles, or of those that it was taken apart into, did not hold and were summed by their
    /// definition.
    std::int64_t sum(const CpuTiling& tiling, std::int64_t tile_x, std::int64_t tile_y, const Complex64* compressed,
                     Complex64* image) {
        const TiledImage tiled = scene_.in_tiles(tiling.tile);
        if (sum_tile(tiled, tiling, tile_x, tile_y, compressed, image) || stop_requested()) return 0;
        for (const TileShape& shape : smaller_tiles) {
            if (shape.across > tiling.tile.across || shape.along > tiling.tile.along || shape == tiling.tile) continue;
            const std::int64_t across = tiling.tile.across / shape.across, along = tiling.tile.along / shape.along;
            const TiledImage smaller = scene_.in_tiles(shape);
            std::int64_t exact = 0;
            for (std::int64_t i = 0; i < across * along; ++i) {
                const std::int64_t x = tile_x * across + i % across, y = tile_y * along + i / across;
                if (x < smaller.tiles_across() && y < smaller.tiles_along())
                    exact += sum({shape, AlongPhase::curved, most_block_lines}, x, y, compressed, image);
            }
            return exact;
        }
        sum_exactly(tiled, tile_x, tile_y, compressed, image);
        return 1;
    }

    /// Pixel by pixel, in double precision.
    void sum_exactly(const TiledImage& tiled, std::int64_t tile_x, std::int64_t tile_y, const Complex64* compressed,
                     Complex64* image) {
        const std::int64_t x0 = tile_x * tiled.tile.across, y0 = tile_y * tiled.tile.along;
        for (std::int64_t x = x0; x < std::min<std::int64_t>(x0 + tiled.tile.across, tiled.across); ++x)
            for (std::int64_t y = y0; y < std::min<std::int64_t>(y0 + tiled.tile.along, tiled.along); ++y) {
                if (stop_requested()) return;
                const std::int64_t row = tiled.row(x, y), column = tiled.column(x, y);
                image[row * scene_.pass.columns + column] =
                    scene_.pass.covers(row, column) ? exact_pixel(row, column, compressed) : Complex64{0, 0};
            }
    }

private:
    /// False: the tile does not hold, or a stop was asked for.
    bool sum_tile(const TiledImage& tiled, const CpuTiling& tiling, std::int64_t tile_x, std::int64_t tile_y,
                  const Complex64* compressed, Complex64* image) {
        tiled_ = tiled;
        first_x_ = TiledImage::first_of(tile_x, tiled.tile.across, tiled.across);
        first_y_ = TiledImage::first_of(tile_y, tiled.tile.along, tiled.along);
        heights_ = scene_.heights(tiled, tile_x, tile_y);
        const Tile tile(scene_.pass, scene_.geometry, tiled_, tile_x, tile_y, heights_.middle_m, heights_.half_m);
        const IndexRange lines = tile.lines();
        std::fill_n(re_.data(), most_pixels, 0.0f);
        std::fill_n(im_.data(), most_pixels, 0.0f);
        lay_out(tiling.tile, tile.line((lines.first + lines.last) / 2, tiling.along));
        if (lines.first < lines.last) {
            const std::optional<CpuTiling> held = that_holds(tile, lines, tiling);
            if (!held) return false;
            if (!add(tile, lines, held->along, held->block_lines, compressed)) return false;
        }
        store(tile_x, tile_y, image);
        return true;
    }

    /// What a line has to the tile's pixels at most, of all lines of a block.
    struct Extremes {
        double cells = 0, across = 0, along = 0;
    };

    /// Fewer lines in a block, or phase that is stepped, where the tile needs it. nullopt: it does not hold.
    std::optional<CpuTiling> that_holds(const Tile& tile, IndexRange lines, CpuTiling tiling) const {
        for (;;) {
            for (; tiling.block_lines >= fewest_block_lines(tiling.along, !scene_.geometry.relief_m.empty());
                 tiling.block_lines /= 2)
                if (scene_.holds(tile, heights_, lines, tiling.along, tiling.block_lines)) return tiling;
            if (tiling.along == AlongPhase::curved) return std::nullopt;
            tiling = {tiling.tile, AlongPhase::curved, most_block_lines};
        }
    }

    void lay_out(const TileShape& shape, const TileLine& line) {
        layout_ = layout_of(shape, scene_.lanes, line);
        const TiledImage& tiled = tiled_;
        const std::int64_t centre_x = first_x_ + shape.across / 2, centre_y = first_y_ + shape.along / 2;
        for (int group = 0; group < layout_.groups; ++group)
            for (int strip = 0; strip < layout_.strips; ++strip)
                for (int vector = 0; vector < vectors_at_a_time; ++vector)
                    for (int lane = 0; lane < layout_.lanes; ++lane) {
                        const auto i = static_cast<std::size_t>(layout_.first_of(group, strip, vector) + lane);
                        const std::int64_t x = std::clamp<std::int64_t>(centre_x + layout_.x(strip, lane), 0,
                                                                        tiled.across - 1),
                                           y = std::clamp<std::int64_t>(centre_y + layout_.y(group, vector, lane), 0,
                                                                        tiled.along - 1);
                        x_[i] = static_cast<float>(x - centre_x);
                        y_[i] = static_cast<float>(y - centre_y);
                        if (!scene_.geometry.relief_m.empty())
                            height_m_[i] = static_cast<float>(scene_.relief_at(x, y) - heights_.middle_m);
                    }
    }

    /// What a line adds at a place, less what it adds in the tile's middle.
    double more_cycles(const Tile& tile, std::int64_t number, double x, double y, double height_m) const {
        const PulsePath& path = scene_.geometry.paths[static_cast<std::size_t>(number)];
        const PixelNode node = tiled_.node(view_of(scene_.geometry.pixels), tile.centre_x() + x, tile.centre_y() + y);
        return arrival(scene_.pass.timing, path, raised(node, heights_.middle_m + height_m)).cycles -
               arrival(scene_.pass.timing, path, tile.points()[0].place).cycles;
    }
    /// Places of a fit's nodes, in its order.
    void find_places(const TileFit& fit, const Tile& tile) {
        places_.clear();
        const PixelMeshView mesh = view_of(scene_.geometry.pixels);
        fit([&](double x, double y, double height_m) {
            const PixelNode node = tiled_.node(mesh, tile.centre_x() + x, tile.centre_y() + y);
            places_.push_back(raised(node, heights_.middle_m + height_m));
            return 0.0;
        });
    }
    TilePolynomial frame_of(const TileFit& fit, const Tile& tile, std::int64_t number) {
        const PulsePath& path = scene_.geometry.paths[static_cast<std::size_t>(number)];
        const double middle = arrival(scene_.pass.timing, path, tile.points()[0].place).cycles;
        frame_cycles_.resize(places_.size());
        find_cycles(scene_.pass.timing, path, static_cast<std::int64_t>(places_.size()), places_.data(),
                    frame_cycles_.data());
        auto cycles = frame_cycles_.begin();
        return fit([&](double, double, double) { return *cycles++ - middle; });
    }
    /// At corners and between the nodes that it was made of.
    bool fits(const TilePolynomial& frame, const Tile& tile, std::int64_t number) const {
        constexpr std::array<std::array<double, 3>, 6> looks = {
            {{1, 1, 1}, {-1, 1, -1}, {1, -1, 0.5}, {-1, -1, 1}, {0.5, -0.7, 0.5}, {-0.5, 0.7, -0.5}}};
        double error = 0;
        for (const auto& [part_x, part_y, part_height] : looks) {
            const double x = part_x * tile.scale().half_x, y = part_y * tile.scale().half_y,
                         height_m = part_height * heights_.half_m;
            const double off =
                6.283185307179586 * (frame.at(x, y, height_m) - more_cycles(tile, number, x, y, height_m));
            error += off * off / looks.size();
        }
        return -10 * std::log10(error) >= scene_.pass.signal_to_error_db + spare_db;
    }

    /// Of the next block, as far as the track lets it reach here. 0: none holds.
    int lines_of_block(const Tile& tile, IndexRange rest, AlongPhase along, int most) const {
        const TileMethod method{along, Framing::exact};
        const bool hills = heights_.half_m > 0;
        const auto left = static_cast<int>(std::min<std::int64_t>(most, rest.last - rest.first));
        for (int count = left; count > 0; count /= 2) {
            if (count == 1 && !hills) return 1;
            if (count < left && count < fewest_block_lines(along, hills)) return 0;
            if (tile.block_signal_to_error_db({rest.first, rest.first + count}, method, scene_.mean_square_weight,
                                              heights_.extremes) >= scene_.pass.signal_to_error_db)
                return count;
        }
        return 0;
    }

    static constexpr std::int64_t looks_every = 64;  ///< lines after which it is asked again whether frames fit

    bool add(const Tile& tile, IndexRange lines, AlongPhase along, int block_lines, const Complex64* compressed) {
        const AddLines add_lines = adder(scene_.lanes, along, !scene_.window.empty());
        const TilePixels pixels{layout_.pixels(), x_.data(), y_.data(), height_m_.data()};
        const TileFit fit(tile.scale().half_x, tile.scale().half_y, heights_.half_m),
            level(tile.scale().half_x, tile.scale().half_y, 0);
        find_places(fit, tile);
        std::fill_n(cycles_.begin(), layout_.pixels(), 0.0);
        std::int64_t looked_at = lines.first;
        int count = 0;
        for (std::int64_t begin = lines.first; begin < lines.last; begin += count) {
            if (stop_requested()) return false;
            count = lines_of_block(tile, {begin, lines.last}, along, block_lines);
            if (count == 0) return false;
            const TileLine middle = tile.line(begin + count / 2, along);
            const TilePolynomial frame = frame_of(fit, tile, begin + count / 2);
            if (begin >= looked_at) {
                if (!fits(frame, tile, begin + count / 2)) return false;
                looked_at = begin + looks_every;
            }
            std::swap(cycles_, before_);
            evaluate(pixels, layout_, frame, cycles_.data());
            if (begin > lines.first) turn_sums(pixels.count, before_.data(), cycles_.data(), re_.data(), im_.data());
            bend_along(pixels, cycles_.data(), middle.cycles.x, middle.cycles.y, cells_per_cycle() / middle.cell_y,
                       along_.data());
            const Extremes extremes = see(tile, begin, count, along, middle);
            const int entries = entries_for(extremes);
            if (entries > most_entries) return false;
            find_reaches(extremes);
            add_lines(block(begin, count, entries, compressed));
        }
        const PixelMeshView mesh = view_of(scene_.geometry.pixels);
        const auto node = [&](double x, double y) {
            return tiled_.node(mesh, tile.centre_x() + x, tile.centre_y() + y);
        };
        const double middle_cycles = tile.points()[0].phase_cycles;
        evaluate(pixels, layout_,
                 level([&](double x, double y, double) { return middle_cycles - node(x, y).phase_cycles; }),
                 before_.data());
        turn_sums(pixels.count, cycles_.data(), before_.data(), re_.data(), im_.data());
        evaluate(pixels, layout_, level([&](double x, double y, double) { return node(x, y).gain; }), before_.data());
        weigh_sums(pixels.count, before_.data(), re_.data(), im_.data());
        return true;
    }

    double cells_per_cycle() const { return scene_.pass.timing.cell_rate_hz / scene_.pass.timing.carrier_hz; }

    /// Makes the lines of a block ready.
    Extremes see(const Tile& tile, std::int64_t begin, int count, AlongPhase along, const TileLine& middle) {
        const bool rises = along != AlongPhase::in_cells && tile.rises();
        const int points = points_for(along);
        const auto find = [&](int point, int place) {
            find_arrivals(scene_.pass.timing, scene_.geometry.paths, begin, 1, count,
                          tile.points()[static_cast<std::size_t>(point)].place, arrivals_.data() + place * count);
        };
        for (int i = 0; i < points; ++i) find(i, i);
        if (rises) find(raised_point, points);
        const auto [low, high] = along_extremes();
        const double x = layout_.across() / 2, y = std::max(std::fabs(low), std::fabs(high));
        Extremes most;
        for (int i = 0; i < count; ++i) {
            const Arrival* const at = arrivals_.data() + i;
            TileLine seen = line_of(tile, along, at, count);
            if (rises) seen.rise_cycles = at[points * count].cycles - at[0].cycles;
            LineStep& line = lines_[static_cast<std::size_t>(i)];
            line = step_of(tile, seen, middle, along);
            const double cell_x = std::fabs(line.cell_x) + std::fabs(line.cell_xx) * x,
                         cell_y = std::fabs(line.cell_y) + std::fabs(line.cell_xy) * x;
            const double cells = 1 + cell_x * x + cell_y * y;
            // Not a number stays, and is too many.
            if (!(cells <= most.cells)) most.cells = cells;
            most.across = std::max(most.across, cell_x + std::fabs(line.cell_xx) * x + std::fabs(line.cell_xy) * y);
            most.along = std::max(most.along, cell_y);
        }
        return most;
    }

    static TileLine line_of(const Tile& tile, AlongPhase along, const Arrival* at, std::int64_t stride) {
        const TilePoint* const points = tile.points().data();
        if (along == AlongPhase::curved) return tile_line<points_of_biquadratic>(tile.scale(), at, stride, points);
        if (along == AlongPhase::stepped) return tile_line<points_of_quadratic>(tile.scale(), at, stride, points);
        return tile_line<points_of_slopes>(tile.scale(), at, stride, points);
    }

    LineStep step_of(const Tile& tile, const TileLine& seen, const TileLine& middle, AlongPhase along) const {
        const AddedPhase more = added_phase(along, seen, middle, cells_per_cycle(), tile.rises());
        const double bends = along != AlongPhase::in_cells ? cells_per_cycle() : 0;
        const double below = std::floor(seen.cell), part = seen.cell - below;
        const auto f = [](double value) { return static_cast<float>(value); };
        LineStep step{.cell = f(part - 0.5),
                      .cell_x = f(seen.cell_x),
                      .cell_y = f(seen.cell_y),
                      .cell_xx = f((seen.cycles.xx - middle.cycles.xx) * bends),
                      .cell_xy = f((seen.cycles.xy - middle.cycles.xy) * bends),
                      .cycles = f(fraction_of(seen.cycles.value + tile.points()[0].phase_cycles)),
                      .cycles_per_cell = f(more.per_cell),
                      .cycles_per_cell2 = f(more.per_cell2),
                      .cycles_x = f(more.pixels.x),
                      .cycles_y = f(more.pixels.y),
                      .cycles_xx = f(more.pixels.xx),
                      .cycles_xy = f(more.pixels.xy),
                      .cycles_xxy = f(more.pixels.xxy),
                      .cycles_xyy = f(more.pixels.xyy),
                      .cycles_xxyy = f(more.pixels.xxyy),
                      .weight = {},
                      .weighing = LineWeight::grows,
                      .level_weight = 1,
                      .middle_cell = static_cast<std::int64_t>(std::clamp(below, -1e15, 1e15))};
        if (!scene_.window.empty()) weigh(tile, offset_of(along, seen, middle), step);
        return step;
    }
    void weigh(const Tile& tile, const TileSurface& offset_hz, LineStep& step) const {
        const DopplerWindowView window = view_of(scene_.pass.window, scene_.pass.window.weight.data());
        const auto index = [&](double hz) { return static_cast<float>(window.per_hz * hz); };
        step.weight = {.value = static_cast<float>(window.middle + window.per_hz * offset_hz.value),
                       .x = index(offset_hz.x),
                       .y = index(offset_hz.y),
                       .xx = index(offset_hz.xx),
                       .xy = index(offset_hz.xy),
                       .yy = index(offset_hz.yy),
                       .xxy = index(offset_hz.xxy),
                       .xyy = index(offset_hz.xyy),
                       .xxyy = index(offset_hz.xxyy)};
        const double spread = window.per_hz * largest_change(offset_hz, tile.scale()) + 1,
                     from_middle = std::fabs(window.per_hz * offset_hz.value);
        if (from_middle - spread > window.middle) step.weighing = LineWeight::nothing;
        if (from_middle + spread < scene_.level_from_middle) {
            step.weighing = LineWeight::level;
            step.level_weight = scene_.level_weight;
        }
    }

    /// Of a block's pixels; those of each vector are kept.
    std::pair<double, double> along_extremes() {
        const auto vectors = static_cast<std::size_t>(layout_.pixels() / layout_.lanes),
                   lanes = static_cast<std::size_t>(layout_.lanes);
        float low = INFINITY, high = -INFINITY;
        for (std::size_t i = 0; i < vectors; ++i) {
            const float* const at = along_.data() + i * lanes;
            float least = at[0], most = at[0];
            for (std::size_t lane = 1; lane < lanes; ++lane) {
                least = std::min(least, at[lane]);
                most = std::max(most, at[lane]);
            }
            least_[i] = least;
            most_[i] = most;
            low = std::min(low, least);
            high = std::max(high, most);
        }
        return {low, high};
    }

    int entries_for(const Extremes& extremes) const {
        if (!(extremes.cells < most_entries)) return most_entries + 1;
        const int step = 2 * scene_.lanes;
        return (2 * (static_cast<int>(extremes.cells) + 2) + step - 1) / step * step;
    }

    void find_reaches(const Extremes& extremes) {
        const int half = scene_.lanes / 2;
        for (int i = 0; i < layout_.groups * layout_.strips; ++i) {
            double spread = 0;
            for (int k = 0; k < vectors_at_a_time; ++k) {
                const auto vector = static_cast<std::size_t>(i * vectors_at_a_time + k);
                spread = std::max(spread, static_cast<double>(most_[vector] - least_[vector]));
            }
            // Rounding to whole cells takes up to one, and where a window begins is found to a hundredth.
            const double cells = spread * extremes.along + (layout_.patch_across - 1) * extremes.across + 1.01;
            reach_[static_cast<std::size_t>(i)] = cells <= half           ? Reach::near
                                                  : cells <= scene_.lanes ? Reach::wide
                                                                          : Reach::far;
        }
    }

    TileBlock block(std::int64_t begin, int count, int entries, const Complex64* compressed) const {
        return {.layout = layout_,
                .along = along_.data(),
                .along_least = least_.data(),
                .along_most = most_.data(),
                .reach = reach_.data(),
                .re = re_.data(),
                .im = im_.data(),
                .lines = lines_.data(),
                .count = count,
                .compressed = compressed + begin * scene_.pass.cells,
                .cells = scene_.pass.cells,
                .entries = entries,
                .window = scene_.window.empty() ? nullptr : scene_.window.data(),
                .window_last = static_cast<float>(scene_.pass.window.weight.size()) - 1,
                .largest_weight_bend = scene_.largest_weight_bend,
                .turned_re = turned_re_.data(),
                .turned_im = turned_im_.data(),
                .table = table_.data(),
                .phasors = phasors_.data(),
                .weighing = weighing_.get()};
    }

    void store(std::int64_t tile_x, std::int64_t tile_y, Complex64* image) const {
        const TiledImage& tiled = tiled_;
        for (int i = 0; i < layout_.pixels(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const int lane = i % layout_.lanes, vector = i / layout_.lanes % vectors_at_a_time,
                      patches = i / (layout_.lanes * vectors_at_a_time);
            const std::int64_t x = first_x_ + tiled.tile.across / 2 + layout_.x(patches % layout_.strips, lane),
                               y = first_y_ + tiled.tile.along / 2 + layout_.y(patches / layout_.strips, vector, lane);
            if (!TiledImage::owns(tile_x, tiled.tile.across, tiled.across, x) ||
                !TiledImage::owns(tile_y, tiled.tile.along, tiled.along, y))
                continue;
            const std::int64_t row = tiled.row(x, y), column = tiled.column(x, y);
            image[row * scene_.pass.columns + column] =
                scene_.pass.covers(row, column) ? Complex64{re_[at], im_[at]} : Complex64{0, 0};
        }
    }

    Complex64 exact_pixel(std::int64_t row, std::int64_t column, const Complex64* compressed) {
        const Accumulation& pass = scene_.pass;
        const PixelNode pixel =
            view_of(scene_.geometry.pixels).at(static_cast<double>(row), static_cast<double>(column));
        const double relief_m = scene_.geometry.relief_at_m(row * pass.columns + column);
        return complex_cast<float>(accumulated_pixel(pass.timing, view_of(pass.window, pass.window.weight.data()),
                                                     scene_.geometry.paths.data(), compressed, pass.cells,
                                                     weighed_lines(pixel, relief_m), pixel, relief_m));
    }

    /// All that the window weighs for a pixel, and those between.
    IndexRange weighed_lines(const PixelNode& pixel, double relief_m) {
        const Accumulation& pass = scene_.pass;
        if (pass.window.weight.empty()) return {0, pass.lines};
        const DopplerWindowView window = view_of(pass.window, pass.window.weight.data());
        const Place place = raised(pixel, relief_m);
        IndexRange lines{pass.lines, 0};
        const std::int64_t looks = (pass.lines + looked_at_every - 1) / looked_at_every;
        const auto at_a_time = static_cast<std::int64_t>(arrivals_.size());
        for (std::int64_t first = 0; first < looks; first += at_a_time) {
            const std::int64_t count = std::min(at_a_time, looks - first);
            find_arrivals(pass.timing, scene_.geometry.paths, first * looked_at_every, looked_at_every, count, place,
                          arrivals_.data());
            for (std::int64_t i = 0; i < count; ++i) {
                const double offset_hz = arrivals_[static_cast<std::size_t>(i)].row_hz - pixel.centroid_hz;
                if (window.at(offset_hz) == 0) continue;
                const std::int64_t line = (first + i) * looked_at_every;
                lines = {std::min(lines.first, line - looked_at_every),
                         std::max(lines.last, line + looked_at_every + 1)};
            }
        }
        return recorded(lines, pass.lines);
    }

    const Scene& scene_;
    TiledImage tiled_;  ///< that of the tile in hand
    std::int64_t first_x_ = 0, first_y_ = 0;
    Scene::Heights heights_;
    TileLayout layout_;
    Floats x_, y_, height_m_, along_, re_, im_, least_, most_, turned_re_, turned_im_, table_, phasors_;
    std::unique_ptr<LineWeight[]> weighing_;
    std::vector<Place> places_;
    std::vector<double> frame_cycles_;     ///< at those places
    std::vector<double> cycles_, before_;  ///< frame of a block, and of the one before
    std::vector<Reach> reach_;
    std::vector<LineStep> lines_;
    std::vector<Arrival> arrivals_;
};

TiledAccumulation::TiledAccumulation(const Accumulation& pass, int threads, int lanes)
    : scene_(std::make_unique<Scene>(Scene{pass, pass.geometry(), lanes, {}, pass.window.weight, 0})) {
    adder(lanes, AlongPhase::stepped, false);
    if (static_cast<std::int64_t>(scene_->geometry.paths.size()) != pass.lines)
        throw std::logic_error("back-projection needs a path of the antenna for each line");
    if (!scene_->window.empty()) {
        scene_->level_weight = scene_->window[(scene_->window.size() - 1) / 2];
        scene_->mean_square_weight = mean_square(scene_->window);
        scene_->level_from_middle = straight_from_middle(scene_->window, 1, true, 0);
        scene_->largest_weight_bend = 1e-5f * *std::max_element(scene_->window.begin(), scene_->window.end());
        scene_->window.resize(scene_->window.size() + 2 * most_lanes);
    }
    for (int i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(*scene_));
    scene_->image = tiled_image(pass, scene_->geometry, {64, 32});
    if (pass.rows == 0 || pass.columns == 0 || pass.lines == 0) return;
    if (pass.signal_to_error_db > best_signal_to_error_db) return;
    for (CpuTiling tiling : tilings) {
        scene_->image = tiled_image(pass, scene_->geometry, tiling.tile);
        const auto may_be_taken = [&] {
            return tiling.block_lines >= fewest_block_lines(tiling.along, !scene_->geometry.relief_m.empty()) &&
                   (!tiling_ || costs(tiling) < costs(*tiling_));
        };
        while (may_be_taken() && !scene_->holds(tiling)) tiling.block_lines /= 2;
        if (may_be_taken()) tiling_ = tiling;
        if (tiling_ && tiling_->along == AlongPhase::in_cells) break;
    }
    // Where most tiles do not hold, those that do are found one by one.
    if (!tiling_) tiling_ = CpuTiling{{32, 16}, AlongPhase::curved, most_block_lines};
    scene_->image = tiled_image(pass, scene_->geometry, tiling_->tile);
}

TiledAccumulation::~TiledAccumulation() = default;

void TiledAccumulation::run(const Matrix& in, Matrix& out) {
    const Accumulation& pass = scene_->pass;
    require_matrix(in, SampleFormat::complex64, pass.lines, pass.cells, "back-projection: the lines");
    require_matrix(out, SampleFormat::complex64, pass.rows, pass.columns, "back-projection: the image");
    run(in.data<Complex64>(), out.data<Complex64>());
}

void TiledAccumulation::run(const Complex64* compressed, Complex64* image) {
    exact_tiles_ = 0;
    const std::int64_t across = scene_->image.tiles_across(), along = scene_->image.tiles_along();
    for_each_line(
        across * along, static_cast<int>(workers_.size()),
        [&](std::int64_t tile) {
            Worker& worker = *workers_[static_cast<std::size_t>(omp_get_thread_num())];
            const std::int64_t x = tile % across, y = tile / across;
            if (tiling_)
                exact_tiles_ += worker.sum(*tiling_, x, y, compressed, image);
            else
                worker.sum_exactly(scene_->image, x, y, compressed, image), ++exact_tiles_;
        },
        1);
}

}  // namespace cornerturn
