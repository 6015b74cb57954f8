// SPDX-License-Identifier: Apache-2.0
// Back-projection of a tile: a block of threads keeps the sums of its pixels in registers while all lines go by. Lines come in stages of
// one line a warp, two stages in shared memory, the next one's cells already in registers. A warp turns the cells of a line by the line's
// phase at the tile's centre and stores value and slope, so that what lies between cells is value + u slope with u the cell itself: no
// fraction is taken. The frame (kernels/accumulation_tile.h) leaves so little phase that a thread has one phasor for a line and all its
// pixels; ten instructions a pixel and line.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/accumulation_tile.h"
#include "kernels/complex.h"
#include "kernels/cuda/unrolled.h"

namespace cornerturn {

/// The pixels of a thread lie `apart`; a warp is warp_across x warp_along pixels.
template <int WarpCount, int TileAcross, int PixelsOfThread, int WarpPixelsAcross, int CellChunks, int BlocksOfProcessor, int UnrolledLines,
          AlongPhase Along>
struct TilingOf {
    static constexpr int warps = WarpCount, across = TileAcross, pixels = PixelsOfThread, warp_across = WarpPixelsAcross,
                         chunks = CellChunks;
    static constexpr int threads = 32 * warps, apart = threads / across, along = apart * pixels, blocks_per_processor = BlocksOfProcessor;
    static constexpr int entries = 31 * chunks;  ///< of a line's cells in the table
    static constexpr int unrolled = UnrolledLines;
    static constexpr AlongPhase along_phase = Along;
    static constexpr int warp_along = 32 / warp_across, warps_across = across / warp_across;
    static_assert(warps_across * (apart / warp_along) == warps);
};
/// For images whose lines of pixels follow range: lanes of a warp lie across, where they share cells.
template <int CellChunks>
using RangeTiling = TilingOf<16, 256, 12, 32, CellChunks, 2, 2, AlongPhase::in_cells>;
template <int CellChunks>
using WideTiling = TilingOf<8, 64, 16, 32, CellChunks, 3, 2, AlongPhase::stepped>;
/// For images at any angle to range.
template <int CellChunks>
using SlantedTiling = TilingOf<8, 64, 16, 8, CellChunks, 3, 1, AlongPhase::stepped>;
template <int CellChunks>
using SmallTiling = TilingOf<8, 64, 8, 8, CellChunks, 4, 1, AlongPhase::stepped>;

/// Lines of a block are counted in whole stages.
CT_HOST_DEVICE int lines_in_stages(int lines, int warps) { return (lines + warps - 1) / warps * warps; }

struct alignas(16) Float4 {
    float x, y, z, w;
};

/// What a kernel reads. Tables lie on the device.
struct AccumulationView {
    const Complex64* compressed;  ///< lines x cells
    Complex64* image;             ///< rows x columns
    std::int64_t lines, cells, rows, columns;
    CompressedTiming timing;
    const PulsePath* paths;
    PixelMeshView mesh;
    DopplerWindowView window;
    const float* relief_m;         ///< nullptr: none
    const Interval* covered_rows;  ///< nullptr: all
    TiledImage tiled;
    const IndexRange* lines_of_tile;
    int block_lines;
    float turn_per_cell;  ///< 2 pi times the cycles of the carrier in a cell
};

template <class Tiling, bool Weighted>
struct TileAccumulation {
    using Shape = Tiling;
    AccumulationView view;
    using Pixels = float[Tiling::pixels];

    static constexpr int table_entries = 2 * Tiling::warps * Tiling::entries;
    static constexpr bool stepped = Tiling::along_phase == AlongPhase::stepped;
    static constexpr int points = stepped ? points_of_quadratic : points_of_slopes;
    /// Arrivals are kept where the table is, before it is made.
    static constexpr int arrivals_at_a_time = table_entries * 16 / static_cast<int>(points * sizeof(Arrival)) / 32 * 32;
    static constexpr int line_tables = 2 + (stepped ? 1 : 0) + (Weighted ? 1 : 0);
    static constexpr float two_pi = 6.2831853071795865f;

    struct Shared {
        TilePoint points[tile_points];
        Arrival centre[tile_points];
        TileLine middle;  ///< of the line in the block's middle
        TileFrame frame[2];
    };

    static constexpr int shared_entries = static_cast<int>((sizeof(Shared) + 15) / 16);

    static std::size_t shared_bytes(int block_lines) {
        return 16 * static_cast<std::size_t>(shared_entries + table_entries + line_tables * lines_in_stages(block_lines, Tiling::warps));
    }

    /// Where a thread's pixels are, from the tile's centre.
    struct Thread {
        int x, y;  ///< of the first
        int of_tile_x, of_tile_y;
    };

    template <class Block>
    CT_HOST_DEVICE Thread thread_of(const Block& block) const {
        const int lane = block.thread().x & 31, warp = block.thread().x >> 5;
        // A quarter of a warp is 4 x 2 pixels where a warp is 8 wide: they span fewer than eight cells, so that none meet in a bank.
        const int in_x = Tiling::warp_across == 8 ? (lane & 3) | ((lane >> 3 & 1) << 2) : lane % Tiling::warp_across;
        const int in_y = Tiling::warp_across == 8 ? (lane >> 2 & 1) | (lane >> 4 << 1) : lane / Tiling::warp_across;
        const int x = warp % Tiling::warps_across * Tiling::warp_across + in_x, y = warp / Tiling::warps_across * Tiling::warp_along + in_y;
        return {x - Tiling::across / 2, y - Tiling::along / 2, x, y};
    }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        constexpr int count = Tiling::pixels;
        const TiledImage& tiled = view.tiled;
        const std::int64_t tile_x = block.number(), tile_y = block.row();
        const std::int64_t first_x = TiledImage::first_of(tile_x, Tiling::across, tiled.across);
        const std::int64_t first_y = TiledImage::first_of(tile_y, Tiling::along, tiled.along);
        const double centre_x = static_cast<double>(first_x + Tiling::across / 2),
                     centre_y = static_cast<double>(first_y + Tiling::along / 2);
        const int tid = block.thread().x;
        const Thread mine = thread_of(block);

        Shared& shared = *block.template memory<Shared>();
        Float4* const table = block.template memory<Float4>() + shared_entries;
        Float4* const steps = table + table_entries;  // cell of the centre less 1/2, its change along x and y, phase along x
        const int room = lines_in_stages(view.block_lines, Tiling::warps);
        Float4* const turns = steps + room;                    // first cell, phase of the table's origin, phase per cell
        Float4* const bends = turns + room;                    // stepped: phase along y, cells per x^2 and x y
        Float4* const weights = bends + (stepped ? room : 0);  // index at the thread's line of pixels and its changes

        if (tid < tile_points) shared.points[tid] = tile_point(tiled, view.mesh, centre_x, centre_y, tid);
        const IndexRange lines = view.lines_of_tile[tile_y * tiled.tiles_across() + tile_x];
        const double cells_per_cycle = view.timing.cell_rate_hz / view.timing.carrier_hz;
        const auto bend_per_cycle = static_cast<float>(cells_per_cycle);

        Pixels sum_re, sum_im, along;
        unrolled<count>([&]<int k>() { sum_re[k] = sum_im[k] = 0; });
        int blocks = 0;
        for (std::int64_t begin = lines.first; begin < lines.last; begin += view.block_lines, ++blocks) {
            const int in_block = static_cast<int>(lines.last - begin < view.block_lines ? lines.last - begin : view.block_lines);
            block.sync();
            prepare(block, shared, reinterpret_cast<Arrival*>(table), begin, in_block, blocks & 1, steps, turns, bends, weights);
            const TileFrame& frame = shared.frame[blocks & 1];
            const TileFrame& before = shared.frame[(blocks & 1) ^ 1];
            const auto middle_y = static_cast<float>(shared.middle.cell_y);
            unrolled<count>([&]<int k>() {
                const int y = mine.y + k * Tiling::apart;
                const auto fx = static_cast<float>(mine.x), fy = static_cast<float>(y);
                const float relief_m = relief(first_x + mine.of_tile_x, first_y + mine.of_tile_y + k * Tiling::apart);
                const float raised = static_cast<float>(frame.rise_cycles * static_cast<double>(relief_m));
                along[k] = fy + (frame.bend(fx, fy) + raised) * bend_per_cycle / middle_y;
                if (blocks == 0) return;
                const float risen = static_cast<float>((frame.rise_cycles - before.rise_cycles) * static_cast<double>(relief_m));
                turn(block, sum_re[k], sum_im[k], -(frame_cycles(before, frame, mine.x, y) + risen));
            });
            add_lines(block, begin, in_block, mine, table, steps, turns, bends, weights, along, sum_re, sum_im);
        }

        if (blocks == 0) {
            store_nothing(tile_x, tile_y, first_x, first_y, mine);
            return;
        }
        const TileFrame& last = shared.frame[(blocks - 1) & 1];
        const TileFrame phase = tile_frame(tile_phase(tiled.half_across(), tiled.half_along(), shared.points), 0);
        const TileQuadratic gain = tile_gain(tiled.half_across(), tiled.half_along(), shared.points);
        unrolled<count>([&]<int k>() {
            const int y = mine.y + k * Tiling::apart;
            const std::int64_t at_x = first_x + mine.of_tile_x, at_y = first_y + mine.of_tile_y + k * Tiling::apart;
            const double risen = fraction_of(last.rise_cycles * static_cast<double>(relief(at_x, at_y)));
            turn(block, sum_re[k], sum_im[k],
                 frame_cycles(TileFrame{}, last, mine.x, y) + frame_cycles(TileFrame{}, phase, mine.x, y) + static_cast<float>(risen));
            const auto of_pixel = static_cast<float>(gain.value + gain.x * mine.x + gain.y * y);
            store(tile_x, tile_y, at_x, at_y, {of_pixel * sum_re[k], of_pixel * sum_im[k]});
        });
    }

private:
    CT_HOST_DEVICE float relief(std::int64_t x, std::int64_t y) const {
        if (view.relief_m == nullptr || x < 0 || y < 0 || x >= view.tiled.across || y >= view.tiled.along) return 0;
        return view.relief_m[view.tiled.row(x, y) * view.columns + view.tiled.column(x, y)];
    }

    template <class Block>
    CT_HOST_DEVICE static void turn(const Block& block, float& re, float& im, float cycles) {
        float sine, cosine;
        block.sine_cosine(cycles, sine, cosine);
        const float a = re, b = im;
        re = a * cosine - b * sine;
        im = a * sine + b * cosine;
    }

    CT_HOST_DEVICE void store(std::int64_t tile_x, std::int64_t tile_y, std::int64_t x, std::int64_t y, Complex64 value) const {
        const TiledImage& tiled = view.tiled;
        if (!TiledImage::owns(tile_x, Tiling::across, tiled.across, x) || !TiledImage::owns(tile_y, Tiling::along, tiled.along, y)) return;
        const std::int64_t row = tiled.row(x, y), column = tiled.column(x, y);
        const bool covered =
            view.covered_rows == nullptr || (row >= view.covered_rows[column].first && row < view.covered_rows[column].last);
        view.image[row * view.columns + column] = covered ? value : Complex64{0, 0};
    }
    CT_HOST_DEVICE void store_nothing(std::int64_t tile_x, std::int64_t tile_y, std::int64_t first_x, std::int64_t first_y,
                                      const Thread& mine) const {
        for (int k = 0; k < Tiling::pixels; ++k)
            store(tile_x, tile_y, first_x + mine.of_tile_x, first_y + mine.of_tile_y + k * Tiling::apart, {0, 0});
    }

    /// Frame of a block of lines and what each of them needs, in double precision: arrivals side by side, then line by line.
    template <class Block>
    CT_HOST_DEVICE void prepare(const Block& block, Shared& shared, Arrival* arrivals, std::int64_t begin, int in_block, int frame,
                                Float4* steps, Float4* turns, Float4* bends, Float4* weights) const {
        const int tid = block.thread().x;
        const double half_x = view.tiled.half_across(), half_y = view.tiled.half_along();
        if (tid < tile_points) shared.centre[tid] = arrival(view.timing, view.paths[begin + in_block / 2], shared.points[tid].place);
        block.sync();
        if (tid == 0) {
            TileLine middle = tile_line<points_of_quadratic>(half_x, half_y, shared.centre, 1, shared.points);
            middle.rise_cycles = shared.centre[raised_point].cycles - shared.centre[0].cycles;
            shared.middle = middle;
            shared.frame[frame] = tile_frame(middle.cycles, middle.rise_cycles);
        }
        const int all = lines_in_stages(in_block, Tiling::warps);
        for (int first = 0; first < all; first += arrivals_at_a_time) {
            const int some = all - first < arrivals_at_a_time ? all - first : arrivals_at_a_time;
            for (int i = tid; i < points * some; i += Tiling::threads) {
                const int point = i / some, line = first + i % some;
                arrivals[i] = arrival(view.timing, view.paths[begin + (line < in_block ? line : in_block - 1)], shared.points[point].place);
            }
            block.sync();
            for (int i = tid; i < some; i += Tiling::threads) {
                const TileLine line = tile_line<points>(half_x, half_y, arrivals + i, some, shared.points);
                put_line(line, shared.middle, shared.points[0], first + i < in_block, steps[first + i], turns[first + i], bends + first + i,
                         weights + first + i);
            }
            block.sync();
        }
    }

    CT_HOST_DEVICE void put_line(const TileLine& line, const TileLine& middle, const TilePoint& centre, bool there, Float4& step,
                                 Float4& turned, Float4* bend, Float4* weight) const {
        const double below = std::floor(line.cell), part = line.cell - below;
        const double along_y = line.cycles.y - middle.cycles.y, along_x = line.cycles.x - middle.cycles.x;
        const double per_cell = stepped ? 0.0 : along_y / line.cell_y;  // cycles
        const auto phase = static_cast<float>(fraction_of(line.cycles.value + centre.phase_cycles));
        const auto turn_per_cell = two_pi * static_cast<float>(per_cell);
        step = {static_cast<float>(part - 0.5), static_cast<float>(line.cell_x), static_cast<float>(line.cell_y),
                two_pi * static_cast<float>(along_x - per_cell * line.cell_x)};
        const bool near_cells = below > -1e9 && below < 1e9;
        const int first_cell = there && near_cells ? static_cast<int>(below) - Tiling::entries / 2 : -(1 << 30);
        turned = {0, turn_per_cell * (0.5f - static_cast<float>(part)) + two_pi * phase, turn_per_cell, 0};
        turned.x = as_float(first_cell);
        if constexpr (stepped) {
            const double cells = view.timing.cell_rate_hz / view.timing.carrier_hz;
            *bend = {two_pi * static_cast<float>(along_y), static_cast<float>((line.cycles.xx - middle.cycles.xx) * cells),
                     static_cast<float>((line.cycles.xy - middle.cycles.xy) * cells), 0};
        }
        if constexpr (Weighted) {
            const DopplerWindowView& window = view.window;
            *weight = {there ? static_cast<float>(window.middle + window.per_hz * line.offset_hz) : -1e9f,
                       static_cast<float>(window.per_hz * line.offset_x), static_cast<float>(window.per_hz * line.offset_y), 0};
        }
    }

    CT_HOST_DEVICE static float as_float(int bits) {
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    CT_HOST_DEVICE static int as_int(float value) {
        int bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }

    /// Straight between the entries of a small table.
    CT_HOST_DEVICE float weight_at(float index) const {
        const auto last = static_cast<float>(view.window.last);
        if (!(index >= 0 && index < last)) return 0;
        const int i = static_cast<int>(index);
        const float here = view.window.weight[i];
        return here + (index - static_cast<float>(i)) * (view.window.weight[i + 1] - here);
    }

    /// A warp fetches the cells of one line of a stage.
    template <class Block>
    CT_HOST_DEVICE void fetch(const Block& block, std::int64_t line, const Float4& turned, Complex64* raw) const {
        const int first = as_int(turned.x), lane = block.thread().x & 31;
        const Complex64* const from = view.compressed + line * view.cells + first + lane;
        const bool inside = first >= 0 && first + 31 * Tiling::chunks < view.cells;
        unrolled<Tiling::chunks>([&]<int c>() {
            const std::int64_t cell = static_cast<std::int64_t>(first) + lane + 31 * c;
            raw[c] = inside || (cell >= 0 && cell < view.cells) ? block.compressed(from + 31 * c) : Complex64{0, 0};
        });
    }
    /// And stores value and slope.
    template <class Block>
    CT_HOST_DEVICE static void tabulate(const Block& block, const Float4& turned, const Complex64* raw, Float4* entries) {
        const int lane = block.thread().x & 31;
        unrolled<Tiling::chunks>([&]<int c>() {
            const float at = static_cast<float>(lane + 31 * c - Tiling::entries / 2) - 0.5f;
            const float angle = turned.z * at + turned.y, cosine = block.cosine(angle), sine = block.sine(angle);
            const float re = raw[c].re * cosine - raw[c].im * sine, im = raw[c].re * sine + raw[c].im * cosine;
            const float slope_re = block.next_in_warp(re) - re, slope_im = block.next_in_warp(im) - im;
            if (lane < 31) entries[lane + 31 * c] = {re - at * slope_re, im - at * slope_im, slope_re, slope_im};
        });
    }

    template <class Block>
    CT_HOST_DEVICE void add_lines(const Block& block, std::int64_t begin, int in_block, const Thread& mine, Float4* table,
                                  const Float4* steps, const Float4* turns, const Float4* bends, const Float4* weights, const Pixels& along,
                                  Pixels& sum_re, Pixels& sum_im) const {
        constexpr int warps = Tiling::warps, entries = Tiling::entries;
        const int warp = block.thread().x >> 5, stages = (in_block + warps - 1) / warps;
        const unsigned origin = block.table_origin(table + entries / 2);
        Complex64 raw[Tiling::chunks];
        fetch(block, begin + warp, turns[warp], raw);
        tabulate(block, turns[warp], raw, table + warp * entries);
        block.sync();
        for (int stage = 0; stage < stages; ++stage) {
            const int next = (stage + 1) * warps + warp;
            const bool more = stage + 1 < stages;
            if (more) fetch(block, begin + next, turns[next], raw);
            unsigned at = origin + static_cast<unsigned>((stage & 1) * warps * entries * 16);
            for (int line = 0; line < warps; line += Tiling::unrolled)
                unrolled<Tiling::unrolled>([&]<int i>() {
                    add_line(block, mine, at, stage * warps + line + i, steps, bends, weights, along, sum_re, sum_im);
                    at += entries * 16;
                });
            if (more) tabulate(block, turns[next], raw, table + (((stage + 1) & 1) * warps + warp) * entries);
            block.sync();
        }
    }

    template <class Block>
    CT_HOST_DEVICE void add_line(const Block& block, const Thread& mine, unsigned table, int line, const Float4* steps, const Float4* bends,
                                 const Float4* weights, const Pixels& along, Pixels& sum_re, Pixels& sum_im) const {
        constexpr int count = Tiling::pixels;
        const Float4 step = steps[line];
        const auto x = static_cast<float>(mine.x);
        float cell_x = step.y * x + step.x, cell_y = step.z, angle = step.w * x, before_re = 0, before_im = 0, twice_cosine = 0;
        if constexpr (stepped) {
            const Float4 bend = bends[line];
            const float turn_per_cell = view.turn_per_cell;
            const float more_y = bend.z * x, more_x = bend.y * (x * x), per_y = more_y * turn_per_cell + bend.x;
            const float turn_step = per_y * Tiling::apart, square = turn_step * turn_step;
            cell_y += more_y;
            cell_x += more_x;
            angle += per_y * static_cast<float>(mine.y) + more_x * turn_per_cell;
            before_re = block.cosine(angle - turn_step);
            before_im = block.sine(angle - turn_step);
            // 2 cos of the step, whose square is small
            twice_cosine = 2.0f - square * (1.0f + square * (square * (1.0f / 360) - 1.0f / 12));
        }
        float re = block.cosine(angle), im = block.sine(angle);
        if constexpr (Weighted) {
            const Float4 place = weights[line];
            const float weight =
                weight_at(place.x + place.y * x + place.z * (static_cast<float>(mine.y) + 0.5f * (count - 1) * Tiling::apart));
            re *= weight;
            im *= weight;
            before_re *= weight;
            before_im *= weight;
        }
        unrolled<count>([&]<int k>() {
            const float cell = cell_y * along[k] + cell_x;
            const Float4 entry = block.entry(table, cell);
            const float value_re = cell * entry.z + entry.x, value_im = cell * entry.w + entry.y;
            sum_re[k] = value_re * re + sum_re[k];
            sum_im[k] = value_im * re + sum_im[k];
            sum_re[k] = -value_im * im + sum_re[k];
            sum_im[k] = value_re * im + sum_im[k];
            if constexpr (stepped)
                if (k + 1 < count) {
                    const float next_re = twice_cosine * re - before_re, next_im = twice_cosine * im - before_im;
                    before_re = re;
                    before_im = im;
                    re = next_re;
                    im = next_im;
                }
        });
    }
};

}  // namespace cornerturn
