// SPDX-License-Identifier: Apache-2.0
// Back-projection of a tile: a block of threads keeps the sums of its pixels in registers while all lines go by. Lines
// come in stages of one line a warp, two stages in shared memory, the next one's cells already in registers. A warp
// turns the cells of a line by the line's phase at the tile's centre and stores value and slope, so that what lies
// between cells is value + u slope with u the cell itself: no fraction is taken. The frame
// (kernels/back_projection/accumulation_tile.h) leaves so little phase that a thread has one phasor for a line and all
// its pixels, ten instructions a pixel and line; or, where the phase still changes along them, a phasor with its slope,
// twelve. Weights of a window are in them. Where weights bend too much over the pixels of a warp, each pixel looks up
// its own.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/back_projection/accumulation_plan.h"
#include "kernels/cuda/back_projection/line_cells.cuh"
#include "kernels/cuda/back_projection/line_sums.cuh"
#include "kernels/cuda/back_projection/quartic_frame.h"
#include "kernels/cuda/back_projection/tile_thread.h"
#include "kernels/cuda/back_projection/tilings.h"
#include "kernels/cuda/back_projection/view.h"
#include "kernels/cuda/back_projection/window_place.h"
#include "kernels/cuda/launch/unrolled.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// Lines of a block are counted in whole stages.
CT_HOST_DEVICE int lines_in_stages(int lines, int warps) { return (lines + warps - 1) / warps * warps; }

template <class Block>
CT_HOST_DEVICE Complex64 phasor_of(const Block& block, std::uint32_t turns) {
    const Quarters angle = quarters(turns);
    const float radians = 6.2831853071795865f * angle.rest_cycles;
    return by_quarters(angle.count, {block.cosine(radians), block.sine(radians)});
}

/// Weighted: by a Doppler window. Follows: what pixels have beyond their quadratic frames over segments of lines, and
/// heights of their own.
template <class Tiling, bool Weighted, bool Follows>
struct TileAccumulation {
    using Shape = Tiling;
    AccumulationView view;
    /// Of a thread's pixels, from block to block.
    struct Pixels {
        Complex64 sum[Tiling::pixels];
        std::uint32_t turns[Tiling::pixels];                   ///< of the frame of the block in hand
        FollowedPixel followed[Follows ? Tiling::pixels : 1];  ///< over the segment in hand
    };

    static constexpr int table_entries = 2 * Tiling::warps * Tiling::entries;
    static constexpr bool curved = Tiling::along_phase == AlongPhase::curved;
    static constexpr bool bends = Tiling::along_phase != AlongPhase::in_cells;
    static_assert(bends || !Weighted);
    /// Of a block's middle; the raised one is found, too.
    static constexpr int whole_points = curved ? points_of_biquadratic : points_of_quadratic;
    static constexpr int most_points = bends ? whole_points + 1 : points_of_slopes;
    /// Arrivals are kept where the table is, before it is made.
    static constexpr int arrivals_at_a_time =
        table_entries * 16 / static_cast<int>(most_points * sizeof(Arrival)) / 32 * 32;
    using Thread = TileThread<Tiling>;
    using Line = TileLineEntry<Tiling::along_phase, Weighted>;
    static constexpr CellBends cell_bends = Tiling::cell_bends;
    static constexpr float span = LineSums<Tiling, Weighted>::span;

    using Quartic = QuarticFrame<curved>;
    struct Shared {
        TilePoint points[tile_points];
        Arrival centre[whole_points + 1];
        TileLine middle;  ///< the line in the block's middle
        TileFrame frame;  ///< its phase
        Quartic quartic;  ///< and what bends in it
        TileHeights heights;
        float bent_per_cycle;
        float place;  ///< of that line among the key lines
        TileLine key[KeyLines::count];
    };

    static constexpr int shared_entries = static_cast<int>((sizeof(Shared) + 15) / 16);

    static std::size_t shared_bytes(int block_lines) {
        return 16 * static_cast<std::size_t>(shared_entries + table_entries) +
               sizeof(Line) * static_cast<std::size_t>(lines_in_stages(block_lines, Tiling::warps));
    }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        constexpr int count = Tiling::pixels;
        const TiledImage& tiled = view.tiled;
        const PlannedTile& tile = view.tiles[block.number()];
        const int tile_x = tile.x, tile_y = tile.y;
        const int tid = block.thread().x;
        const Thread mine = Thread::of(block, tiled, tile_x, tile_y);

        Shared& shared = *block.template memory<Shared>();
        Float4* const table = block.template memory<Float4>() + shared_entries;
        Line* const of_lines = reinterpret_cast<Line*>(table + table_entries);

        if (tid < tile_points)
            shared.points[tid] = tile_point(tiled, view.mesh, mine.middle_x, mine.middle_y, tid, tile.heights);
        if (tid == 0) shared.heights = tile.heights;
        if (tid < Quartic::all && quartic())
            shared.quartic.place[tid] =
                quartic_place(tiled, view.mesh, mine.middle_x, mine.middle_y, tid / quartic_nodes, tid % quartic_nodes);
        block.sync();
        const IndexRange lines = tile.lines;
        const int last_line = static_cast<int>(lines.last);

        // Between blocks of lines all sums lie in memory, and loops with double precision stay loops: what they take of
        // registers must not push the sums of a block out in the inner loop.
        Pixels pixels{};
        const int in_memory = block.not_known(count);
        for (int begin = static_cast<int>(lines.first); begin < last_line; begin += view.block_lines) {
            const int in_block = last_line - begin < view.block_lines ? last_line - begin : view.block_lines;
            const IndexRange segment = follows() ? segment_of(lines, view.segment_lines, begin) : IndexRange{};
            if (follows() && begin == segment.first)
                follow(block, shared, reinterpret_cast<Arrival*>(table), KeyLines(segment), mine, in_memory, pixels);
            prepare(block, shared, reinterpret_cast<Arrival*>(table), begin, in_block, KeyLines(segment), of_lines);
            BlockSums<Tiling> sums;
            begin_block(shared, mine, pixels, sums);
            block.in_memory(pixels);
            add_lines(block, begin, in_block, mine, bend_of_window(shared.middle, mine), table, of_lines, sums);
            block.in_memory(pixels);
            unrolled<count>([&]<int k>() {
                pixels.sum[k] = pixels.sum[k] + phasor_of(block, pixels.turns[k]) * Complex64{sums.re[k], sums.im[k]};
            });
        }
        for (int k = 0; k < in_memory; ++k)
            store(block, tile_x, tile_y, mine.image_x(), mine.image_y(k), shared.points[0].phase_cycles, pixels.sum[k]);
    }

private:
    CT_HOST_DEVICE bool follows() const { return Follows && view.segment_lines > 0; }
    CT_HOST_DEVICE bool quartic() const { return curved && view.segment_lines == 0; }
    CT_HOST_DEVICE bool has_heights() const { return Follows && view.relief_m != nullptr; }

    /// What pixels have beyond their frames over a segment of lines, in double precision.
    template <class Block>
    CT_HOST_DEVICE void follow(const Block& block, Shared& shared, Arrival* arrivals, const KeyLines& keys,
                               const Thread& mine, int count, Pixels& pixels) const {
        const int tid = block.thread().x;
        constexpr int points = whole_points + 1;
        if (tid < KeyLines::count * points)
            arrivals[tid] = arrival(view.timing, view.paths[keys.line(tid / points)],
                                    shared.points[point_at<whole_points>(tid % points)].place);
        block.sync();
        if (tid < KeyLines::count)
            shared.key[tid] = whole_tile_line<whole_points>(view.scale, arrivals + tid * points, 1, shared.points);
        block.sync();
        for (int k = 0; k < count; ++k) {
            const auto [relief_m, height_m] = height(shared, mine, k);
            const Place place = raised(view.tiled.node(view.mesh, mine.image_x(), mine.image_y(k)), relief_m);
            const auto beyond = [&](int key) {
                return shared.key[key].beyond(arrival(view.timing, view.paths[keys.line(key)], place).cycles, mine.x,
                                              mine.y_of(k), height_m);
            };
            pixels.followed[k] = FollowedPixel(beyond(0), beyond(1), beyond(2));
        }
    }

    /// Frames of the pixels, and what bends over them.
    CT_HOST_DEVICE void begin_block(const Shared& shared, const Thread& mine, Pixels& pixels,
                                    BlockSums<Tiling>& sums) const {
        const TileFrame frame = shared.frame;
        const float place = shared.place, bent_per_cycle = shared.bent_per_cycle;
        float in_y[quartic_nodes] = {};
        if (quartic()) shared.quartic.at(mine.x, view.scale, in_y);
        const float per_y = 1 / static_cast<float>(view.scale.half_y);
        unrolled<Tiling::pixels>([&]<int k>() {
            const int y = mine.y_of(k);
            std::uint32_t turns =
                static_cast<std::uint32_t>(mine.x) * frame.x + static_cast<std::uint32_t>(y) * frame.y;
            float bent = 0, beyond = 0;
            if (quartic()) {
                const float at = static_cast<float>(y) * per_y;
                bent = in_y[0] + at * (in_y[1] + at * (in_y[2] + at * (in_y[3] + at * in_y[4])));
            } else if (has_heights()) {
                // Over hills it is hundreds of cycles.
                const double bend = shared.middle.bend(mine.x, y, height(shared, mine, k).above_m);
                turns += in_turns(bend);
                beyond = static_cast<float>(bend);
            } else {
                bent = frame.bend(static_cast<float>(mine.x), static_cast<float>(y));
            }
            if (follows()) {
                const FollowedPixel pixel = pixels.followed[k];
                bent += pixel.from_middle(place);
                turns += pixel.middle_turns;
                beyond += pixel.middle;
            }
            pixels.turns[k] = turns + in_turns(bent);
            sums.bent[k] = (bent + beyond) * bent_per_cycle;
            if constexpr (cell_bends == CellBends::along) sums.bent[k] += static_cast<float>(y);
            sums.re[k] = sums.im[k] = 0;
        });
    }

    /// What bends over the tile.
    CT_HOST_DEVICE WindowPlace bend_of_window(const TileLine& middle, const Thread& mine) const {
        if constexpr (!Weighted) return {};
        const double x = mine.x, y = mine.y + 0.5 * static_cast<double>(span), per_hz = view.window.per_hz;
        const TileSurface& of = middle.offset_hz;
        return {static_cast<float>(per_hz * of.bend(x, y)),
                static_cast<float>(per_hz * Tiling::apart *
                                   (x * (of.xy + x * of.xxy) + 2 * y * (of.yy + x * (of.xyy + x * of.xxyy))))};
    }

    /// Of a thread's pixel; beyond the image it lies on the tile's surface.
    struct Height {
        double relief_m, above_m;  ///< the surface
    };
    CT_HOST_DEVICE Height height(const Shared& shared, const Thread& mine, int pixel) const {
        const int x = mine.image_x(), y = mine.image_y(pixel);
        const double surface_m = shared.heights.surface_m.at(mine.x, mine.y_of(pixel));
        if (view.relief_m == nullptr || !view.tiled.holds(x, y)) return {surface_m, 0};
        const double relief_m = view.relief_m[view.tiled.number({x, y})];
        return {relief_m, relief_m - surface_m};
    }

    /// With phase and gain of its own; that of the tile's centre is in it.
    template <class Block>
    CT_HOST_DEVICE void store(const Block& block, int tile_x, int tile_y, int x, int y, double centre_cycles,
                              Complex64 sum) const {
        const TiledImage& tiled = view.tiled;
        if (!tiled.owns(tile_x, tile_y, x, y)) return;
        const std::int64_t row = tiled.row(x, y), column = tiled.column(x, y);
        const PixelNode pixel = tiled.node(view.mesh, x, y);
        const Complex64 value =
            static_cast<float>(pixel.gain) * (phasor_of(block, in_turns(pixel.phase_cycles - centre_cycles)) * sum);
        view.image[row * view.columns + column] = is_covered(view.covered_rows, row, column) ? value : Complex64{0, 0};
    }

    /// What a block's middle and each of its lines need, in double precision: arrivals side by side, then line by line.
    template <class Block>
    CT_HOST_DEVICE void prepare(const Block& block, Shared& shared, Arrival* arrivals, int begin, int in_block,
                                const KeyLines& keys, Line* of_lines) const {
        const int tid = block.thread().x, all = lines_in_stages(in_block, Tiling::warps);
        const int points = points_for(Tiling::along_phase) + (bends && has_heights() ? 1 : 0);
        for (int first = 0; first < all; first += arrivals_at_a_time) {
            const int some = all - first < arrivals_at_a_time ? all - first : arrivals_at_a_time;
            for (int i = tid; i < points * some; i += Tiling::threads) {
                const int point = i / some, line = first + i - point * some;
                arrivals[i] = arrival(view.timing, view.paths[begin + (line < in_block ? line : in_block - 1)],
                                      shared.points[bends ? point_at<whole_points>(point) : point].place);
            }
            if (first == 0 && quartic() && tid >> 5 == Tiling::warps - 2)
                shared.quartic.find(block, view, view.paths[begin + in_block / 2], shared.frame);
            if (first == 0 && tid >= Tiling::threads - (whole_points + 1)) {
                const int point = Tiling::threads - 1 - tid;
                shared.centre[point] = arrival(view.timing, view.paths[begin + in_block / 2],
                                               shared.points[point_at<whole_points>(point)].place);
            }
            block.sync();
            if (first == 0 && tid == Tiling::threads - 1) {
                shared.middle = whole_tile_line<whole_points>(view.scale, shared.centre, 1, shared.points);
                if (!quartic()) shared.frame = tile_frame(shared.middle.cycles);
                const double per_y = cell_bends == CellBends::along ? shared.middle.cell_y : 1;
                shared.bent_per_cycle = static_cast<float>(view.cells_per_cycle / per_y);
                shared.place = static_cast<float>(keys.place(begin + in_block / 2));
            }
            for (int i = tid; i < some; i += Tiling::threads) {
                const TileLine middle = whole_tile_line<whole_points>(view.scale, shared.centre, 1, shared.points);
                TileLine line =
                    tile_line<points_for(Tiling::along_phase)>(view.scale, arrivals + i, some, shared.points);
                if (bends && has_heights())
                    line.rise_cycles = arrivals[whole_points * some + i].cycles - arrivals[i].cycles;
                const AddedPhase added = added_phase(Tiling::along_phase, cell_bends, line, middle,
                                                     view.cells_per_cycle, shared.heights.half_m);
                LineCells<Tiling, Weighted>{view}.put_line(line, added, shared.points[0].phase_cycles,
                                                           first + i < in_block, of_lines[first + i]);
            }
            block.sync();
        }
    }

    template <class Block>
    CT_HOST_DEVICE void add_lines(const Block& block, int begin, int in_block, const Thread& mine,
                                  const WindowPlace& bend, Float4* table, const Line* of_lines,
                                  BlockSums<Tiling>& sums) const {
        constexpr int warps = Tiling::warps, entries = Tiling::entries;
        const LineCells<Tiling, Weighted> cells{view};
        const LineSums<Tiling, Weighted> to_pixels{view};
        const int warp = block.thread().x >> 5, stages = (in_block + warps - 1) / warps;
        const unsigned origin = block.table_origin(table + entries / 2);
        // Where registers are few, cells come in two halves.
        constexpr int parts = Weighted ? 2 : 1, some_lines = warps / parts;
        constexpr unsigned apart = Tiling::unrolled * entries * 16;
        for (int stage = -1; stage < stages; ++stage) {
            const int next = (stage + 1) * warps + warp;
            Float4* const to = table + (((stage + 1) & 1) * warps + warp) * entries;
            unsigned at = origin + static_cast<unsigned>((stage & 1) * warps * entries * 16);
            unrolled<parts>([&]<int part>() {
                constexpr int first = Tiling::chunks * part / parts,
                              count = Tiling::chunks * (part + 1) / parts - first;
                Complex64 raw[count];
                if (stage + 1 < stages)
                    cells.template fetch<first, count>(block, begin + next, of_lines[next].turned, raw);
                if (stage >= 0)
                    for (int line = part * some_lines; line < (part + 1) * some_lines;
                         line += Tiling::unrolled, at += apart)
                        to_pixels.add_some(block, mine, bend, at, of_lines + stage * warps + line, sums);
                if (stage + 1 < stages) cells.template tabulate<first, count>(block, of_lines[next].turned, raw, to);
            });
            block.sync();
        }
    }
};

}  // namespace cornerturn
