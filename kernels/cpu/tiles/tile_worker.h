// SPDX-License-Identifier: Apache-2.0
// The work of one thread on tiles, in memory of its own: frames in double precision for blocks of lines, and sums in
// vectors about them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/cpu/tiles/add_lines.h"
#include "kernels/cpu/tiles/aligned_floats.h"
#include "kernels/cpu/tiles/exact_pixel.h"
#include "kernels/cpu/tiles/frame_step.h"
#include "kernels/cpu/tiles/line_steps.h"
#include "kernels/cpu/tiles/pixel_loops.h"
#include "kernels/cpu/tiles/tile_block.h"
#include "kernels/cpu/tiles/tile_polynomial.h"
#include "kernels/cpu/tiles/tiled_scene.h"
#include "kernels/interrupt.h"

namespace cornerturn {

class TileWorker {
public:
    explicit TileWorker(const TiledScene& scene)
        : scene_(scene),
          x_(most_pixels),
          y_(most_pixels),
          bent_(most_pixels),
          re_(most_pixels),
          im_(most_pixels),
          turned_re_(most_entries + 2 * most_lanes),
          turned_im_(most_entries + 2 * most_lanes),
          table_(lines_of_stage * 4 * (most_entries + 4 * most_lanes)),
          phasors_(lines_of_stage * 8 * 4 * most_across),
          weighing_(std::make_unique<LineWeight[]>(lines_of_stage * most_across)),
          values_(most_pixels),
          height_m_(most_pixels),
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
                const std::int64_t x = tile_x * across + i % across,
                                   y = tiled.first_part(tile_y, shape, static_cast<int>(i % across)) + i / across;
                if (x < smaller.tiles_across() && y >= 0 && y < smaller.tiles_along())
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
        const TilePixel middle = tiled.middle(tile_x, tile_y);
        for (int i = 0; i < tiled.tile.across; ++i)
            for (int k = 0; k < tiled.tile.along; ++k) {
                if (stop_requested()) return;
                const auto [x, y] = tiled.pixel(middle, i - tiled.tile.across / 2, k - tiled.tile.along / 2);
                if (!tiled.owns(tile_x, tile_y, x, y)) continue;
                const std::int64_t row = tiled.row(x, y), column = tiled.column(x, y);
                image[row * scene_.pass.columns + column] =
                    scene_.pass.covers(row, column) ? exact_pixel(scene_, row, column, compressed, arrivals_)
                                                    : Complex64{0, 0};
            }
    }

private:
    static constexpr int most_pixels = 256 * 32, most_across = 256, most_entries = 2048;
    static_assert(most_block_lines % lines_of_stage == 0);
    /// Into which a tile is taken apart whose frames are no polynomials over all of it.
    static constexpr TileShape smaller_tiles[] = {{64, 32}, {32, 16}, {16, 8}};

    /// False: the tile does not hold, or a stop was asked for.
    bool sum_tile(const TiledImage& tiled, const CpuTiling& tiling, std::int64_t tile_x, std::int64_t tile_y,
                  const Complex64* compressed, Complex64* image) {
        tiled_ = tiled;
        middle_ = tiled.middle(tile_x, tile_y);
        const Tile tile(scene_.pass, scene_.geometry, tiled_, tile_x, tile_y);
        heights_ = tile.heights();
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

    /// Cells that a line has to the tile's pixels at most, of all lines of a block: from the first to the last, and
    /// from pixel to pixel.
    struct Extremes {
        double cells = 0, across = 0, along = 0, bent = 0;
    };

    /// Fewer lines in a block, or phase that is stepped, where the tile needs it. nullopt: it does not hold.
    std::optional<CpuTiling> that_holds(const Tile& tile, IndexRange lines, CpuTiling tiling) const {
        for (;;) {
            for (; tiling.block_lines >= fewest_block_lines(tiling.along); tiling.block_lines /= 2)
                if (scene_.holds(tile, lines, tiling.along, tiling.block_lines)) return tiling;
            if (tiling.along == AlongPhase::curved) return std::nullopt;
            tiling = {tiling.tile, AlongPhase::curved, most_block_lines};
        }
    }

    /// So far from a middle, or what is nearest to that among so many pixels.
    static int within(int from_middle, std::int64_t middle, std::int64_t pixels) {
        return static_cast<int>(std::clamp<std::int64_t>(middle + from_middle, 0, pixels - 1) - middle);
    }
    void lay_out(const TileShape& shape, const TileLine& line) {
        layout_ = layout_of(shape, scene_.lanes, line);
        for (int i = 0; i < layout_.pixels(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            int x = layout_.x_of(i), y = layout_.y_of(i);
            if (tiled_.shear == 0) {
                x = within(x, middle_.x, tiled_.across);
                y = within(y, middle_.y, tiled_.along);
            }
            x_[at] = static_cast<float>(x);
            y_[at] = static_cast<float>(y);
            if (!scene_.has_hills()) continue;
            const auto [image_x, image_y] = tiled_.pixel(middle_, x, y);
            height_m_[at] = scene_.relief_at(image_x, image_y) - heights_.surface_m.at(x, y);
        }
        for (int vector = 0; vector < layout_.pixels() / layout_.lanes; ++vector) {
            const float* const first = y_.data() + vector * layout_.lanes;
            const auto [least, most] = std::minmax_element(first, first + layout_.lanes);
            of_y_.least[static_cast<std::size_t>(vector)] = *least;
            of_y_.most[static_cast<std::size_t>(vector)] = *most;
        }
    }

    PixelNode node_at(const Tile& tile, double x, double y) const {
        return tiled_.node_of_tile(view_of(scene_.geometry.pixels), tile.centre_x(), tile.centre_y(), x, y);
    }
    /// What a line adds at a place, less what it adds in the tile's middle.
    double more_cycles(const Tile& tile, std::int64_t number, double x, double y, double height_m) const {
        const PulsePath& path = scene_.geometry.paths[static_cast<std::size_t>(number)];
        return arrival(scene_.pass.timing, path, raised(node_at(tile, x, y), heights_.surface_m.at(x, y) + height_m))
                   .cycles -
               arrival(scene_.pass.timing, path, tile.points()[0].place).cycles;
    }
    /// Places of a fit's nodes, in its order.
    void find_places(const TileFit& fit, const Tile& tile) {
        places_.clear();
        fit([&](double x, double y, double height_m) {
            places_.push_back(raised(node_at(tile, x, y), heights_.surface_m.at(x, y) + height_m));
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
        const TileMethod method{along, scene_.bends(along), Framing::exact};
        const auto left = static_cast<int>(std::min<std::int64_t>(most, rest.last - rest.first));
        for (int count = left; count > 0; count /= 2) {
            if (count == 1) return 1;
            if (count < left && count < fewest_block_lines(along)) return 0;
            if (tile.block_signal_to_error_db({rest.first, rest.first + count}, method, scene_.mean_square_weight) >=
                scene_.pass.signal_to_error_db)
                return count;
        }
        return 0;
    }

    static constexpr std::int64_t looks_every = 64;  ///< lines after which it is asked again whether frames fit

    bool add(const Tile& tile, IndexRange lines, AlongPhase along, int block_lines, const Complex64* compressed) {
        const AddLines add_lines = line_adder(scene_.lanes, along, scene_.bends(along), !scene_.window.empty());
        const TilePixels pixels{layout_.pixels(), x_.data(), y_.data(), height_m_.data()};
        const TileFit fit(tile.scale().half_x, tile.scale().half_y, heights_.half_m),
            level(tile.scale().half_x, tile.scale().half_y, 0);
        find_places(fit, tile);
        TilePolynomial in_sums;  // the frame about which sums are
        std::int64_t looked_at = lines.first;
        int count = 0;
        for (std::int64_t begin = lines.first; begin < lines.last; begin += count) {
            if (stop_requested()) return false;
            count = lines_of_block(tile, {begin, lines.last}, along, block_lines);
            if (count == 0) return false;
            const TileLine middle = tile.line(begin + count / 2, along);
            const TilePolynomial frame = frame_of(fit, tile, begin + count / 2);
            // Where the antenna is at one of its nodes, and so no number: pixels would be read anywhere.
            if (!std::isfinite(frame.most())) return false;
            if (begin >= looked_at) {
                if (!fits(frame, tile, begin + count / 2)) return false;
                looked_at = begin + looks_every;
            }
            if (begin == lines.first) in_sums = frame;
            const BentExtremes bent = step_frame(pixels, frame, along, middle, in_sums);
            const Extremes extremes = see(tile, begin, count, along, middle, bent);
            const int entries = entries_for(extremes);
            if (entries > most_entries) return false;
            find_reaches(extremes);
            add_lines(block({begin, lines.last}, count, entries, compressed));
        }
        const double middle_cycles = tile.points()[0].phase_cycles;
        turn(pixels, in_sums,
             level([&](double x, double y, double) { return middle_cycles - node_at(tile, x, y).phase_cycles; }));
        evaluate(pixels, layout_, level([&](double x, double y, double) { return node_at(tile, x, y).gain; }),
                 values_.data());
        weigh_sums(pixels.count, values_.data(), re_.data(), im_.data());
        return true;
    }

    /// Sums that were added about a frame, about another, in double precision.
    void turn(const TilePixels& pixels, TilePolynomial frame, const TilePolynomial& other) {
        frame -= other;
        evaluate(pixels, layout_, frame, values_.data());
        turn_sums(pixels.count, values_.data(), re_.data(), im_.data());
    }

    /// Sums go over to the frame of the next block, which bends the pixels by what is not linear in it.
    BentExtremes step_frame(const TilePixels& pixels, const TilePolynomial& frame, AlongPhase along,
                            const TileLine& middle, TilePolynomial& in_sums) {
        FrameStep step{.turn = in_sums,
                       .bend = bend_of(frame, scene_.bends(along), middle, scene_.cells_per_cycle()),
                       .bends = scene_.bends(along),
                       .re = re_.data(),
                       .im = im_.data(),
                       .bent = bent_.data(),
                       .least = of_bent_.least.data(),
                       .most = of_bent_.most.data()};
        step.turn -= frame;
        if (step.turn.most() > most_cycles_in_floats) {
            turn(pixels, in_sums, frame);
            step.turn = {};
            in_sums = frame;
        } else {
            // What a block's turn is rounded by the next one makes good.
            step.turn.round_to_floats();
            in_sums -= step.turn;
        }
        return frame_stepper(layout_.lanes)(pixels, layout_, step);
    }

    /// Makes the lines of a block ready.
    Extremes see(const Tile& tile, std::int64_t begin, int count, AlongPhase along, const TileLine& middle,
                 const BentExtremes& bent) {
        const bool rises = along != AlongPhase::in_cells && heights_.half_m > 0;
        const int points = points_for(along);
        const auto find = [&](int point, int place) {
            find_arrivals(scene_.pass.timing, scene_.geometry.paths, begin, 1, count,
                          tile.points()[static_cast<std::size_t>(point)].place, arrivals_.data() + place * count);
        };
        for (int i = 0; i < points; ++i) find(i, i);
        if (rises) find(raised_point, points);
        const bool apart = scene_.bends(along) == CellBends::apart;
        const double x = layout_.across() / 2, y = layout_.along() / 2,
                     most_bent = std::max(std::fabs(bent.least), std::fabs(bent.most));
        Extremes most;
        for (int i = 0; i < count; ++i) {
            const Arrival* const at = arrivals_.data() + i;
            TileLine seen = line_of(tile, along, at, count);
            if (rises) seen.rise_cycles = at[points * count].cycles - at[0].cycles;
            LineStep& line = lines_[static_cast<std::size_t>(i)];
            line = step_of(scene_, tile, seen, middle, along);
            const double cell_x = std::fabs(line.cell_x) + std::fabs(line.cell_xx) * x,
                         cell_y = std::fabs(line.cell_y) + std::fabs(line.cell_xy) * x, along_y = apart ? cell_y : 0,
                         per_bent = apart ? std::fabs(line.bends) : cell_y,
                         cells = 1 + cell_x * x + along_y * y + per_bent * most_bent;
            // Not a number stays, whatever comes behind it, and is too many.
            if (!(cells <= most.cells) && !std::isnan(most.cells)) most.cells = cells;
            most.across = std::max(most.across, cell_x + std::fabs(line.cell_xx) * x + std::fabs(line.cell_xy) * y);
            most.along = std::max(most.along, along_y);
            most.bent = std::max(most.bent, per_bent);
        }
        return most;
    }

    int entries_for(const Extremes& extremes) const {
        if (!(extremes.cells < most_entries)) return most_entries + 1;
        return (2 * (static_cast<int>(extremes.cells) + 2) + scene_.lanes - 1) / scene_.lanes * scene_.lanes;
    }

    void find_reaches(const Extremes& extremes) {
        for (int i = 0; i < layout_.groups * layout_.strips; ++i) {
            double spread = 0;
            for (int k = 0; k < vectors_at_a_time; ++k) {
                const auto vector = static_cast<std::size_t>(i * vectors_at_a_time + k);
                spread = std::max(spread, extremes.along * (of_y_.most[vector] - of_y_.least[vector]) +
                                              extremes.bent * (of_bent_.most[vector] - of_bent_.least[vector]));
            }
            // Rounding to whole cells takes up to one, and where a window begins is found to a hundredth.
            const double last = spread + (layout_.patch_across - 1) * extremes.across + 1.01;
            reach_[static_cast<std::size_t>(i)] = last < scene_.lanes       ? Reach::near
                                                  : last < 2 * scene_.lanes ? Reach::wide
                                                  : last < 4 * scene_.lanes ? Reach::broad
                                                                            : Reach::far;
        }
    }

    TileBlock block(IndexRange rest, int count, int entries, const Complex64* compressed) const {
        return {.layout = layout_,
                .y = y_.data(),
                .bent = bent_.data(),
                .y_least = of_y_.least.data(),
                .y_most = of_y_.most.data(),
                .bent_least = of_bent_.least.data(),
                .bent_most = of_bent_.most.data(),
                .reach = reach_.data(),
                .re = re_.data(),
                .im = im_.data(),
                .lines = lines_.data(),
                .count = count,
                .lines_behind = static_cast<int>(rest.last - rest.first) - count,
                .compressed = compressed + rest.first * scene_.pass.cells,
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
        for (int i = 0; i < layout_.pixels(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const auto [x, y] = tiled_.pixel(middle_, layout_.x_of(i), layout_.y_of(i));
            if (!tiled_.owns(tile_x, tile_y, x, y)) continue;
            const std::int64_t row = tiled_.row(x, y), column = tiled_.column(x, y);
            image[row * scene_.pass.columns + column] =
                scene_.pass.covers(row, column) ? Complex64{re_[at], im_[at]} : Complex64{0, 0};
        }
    }

    const TiledScene& scene_;
    TiledImage tiled_;  ///< that of the tile in hand
    TilePixel middle_;
    TileHeights heights_;
    TileLayout layout_;
    AlignedFloats x_, y_, bent_, re_, im_, turned_re_, turned_im_, table_, phasors_;
    /// Least and most of each vector.
    struct {
        AlignedFloats least{most_pixels / 4}, most{most_pixels / 4};
    } of_y_, of_bent_;
    std::unique_ptr<LineWeight[]> weighing_;
    std::vector<Place> places_;
    std::vector<double> frame_cycles_;  ///< at those places
    std::vector<double> values_;        ///< of a polynomial at the pixels
    std::vector<double> height_m_;
    std::vector<Reach> reach_;
    std::vector<LineStep> lines_;
    std::vector<Arrival> arrivals_;
};

}  // namespace cornerturn
