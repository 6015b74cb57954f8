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

/// What all threads of a tile need of a line, in single precision.
template <bool Stepped, bool Weighted>
struct TileLineEntry;
struct TileLineBase {
    Float4 step;    ///< cell of the centre less 1/2, its change along x and y, phase along x
    Float4 turned;  ///< first cell in the table, phase of the table's origin, phase per cell
};
template <>
struct TileLineEntry<false, false> : TileLineBase {};
template <>
struct TileLineEntry<true, false> : TileLineBase {
    Float4 bend;  ///< phase along y, cells per x^2 and x y
};
template <>
struct TileLineEntry<false, true> : TileLineBase {
    Float4 weight;  ///< index into the window at the centre, its change along x
};
template <>
struct TileLineEntry<true, true> : TileLineBase {
    Float4 bend, weight;
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
    TileScale scale{1, 1};  ///< of `tiled`
    int block_lines;
    float turn_per_cell;  ///< 2 pi times the cycles of the carrier in a cell
    float cells_per_cycle;
};

template <class Tiling, bool Weighted>
struct TileAccumulation {
    using Shape = Tiling;
    AccumulationView view;
    /// Of the pixels of a thread.
    struct Kept {
        float re[Tiling::pixels], im[Tiling::pixels], along[Tiling::pixels];
    };

    static constexpr int table_entries = 2 * Tiling::warps * Tiling::entries;
    static constexpr bool stepped = Tiling::along_phase == AlongPhase::stepped;
    static constexpr int points = stepped ? points_of_quadratic : points_of_slopes;
    /// Arrivals are kept where the table is, before it is made.
    static constexpr int arrivals_at_a_time = table_entries * 16 / static_cast<int>(points * sizeof(Arrival)) / 32 * 32;
    using Line = TileLineEntry<stepped, Weighted>;
    static constexpr float two_pi = 6.2831853071795865f;

    struct Shared {
        TilePoint points[tile_points];
        Arrival centre[tile_points];
        TileFrame frame[2];  ///< of the line in the block's middle, and of that in the one before
        float cells_along;   ///< of that line, per pixel
    };

    static constexpr int shared_entries = static_cast<int>((sizeof(Shared) + 15) / 16);

    static std::size_t shared_bytes(int block_lines) {
        return 16 * static_cast<std::size_t>(shared_entries + table_entries) +
               sizeof(Line) * static_cast<std::size_t>(lines_in_stages(block_lines, Tiling::warps));
    }

    /// Where a thread's pixels are, from the tile's centre.
    struct Thread {
        int x, y;  ///< of the first
    };

    template <class Block>
    CT_HOST_DEVICE Thread thread_of(const Block& block) const {
        const int lane = block.thread().x & 31, warp = block.thread().x >> 5;
        // A quarter of a warp is 4 x 2 pixels where a warp is 8 wide: they span fewer than eight cells, so that none meet in a bank.
        const int in_x = Tiling::warp_across == 8 ? (lane & 3) | ((lane >> 3 & 1) << 2) : lane % Tiling::warp_across;
        const int in_y = Tiling::warp_across == 8 ? (lane >> 2 & 1) | (lane >> 4 << 1) : lane / Tiling::warp_across;
        const int x = warp % Tiling::warps_across * Tiling::warp_across + in_x, y = warp / Tiling::warps_across * Tiling::warp_along + in_y;
        return {x - Tiling::across / 2, y - Tiling::along / 2};
    }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        constexpr int count = Tiling::pixels;
        const TiledImage& tiled = view.tiled;
        const int tile_x = static_cast<int>(block.number()), tile_y = static_cast<int>(block.row());
        const int middle_x = Tiling::across / 2 + static_cast<int>(TiledImage::first_of(tile_x, Tiling::across, tiled.across));
        const int middle_y = Tiling::along / 2 + static_cast<int>(TiledImage::first_of(tile_y, Tiling::along, tiled.along));

        const int tid = block.thread().x;
        const Thread mine = thread_of(block);

        Shared& shared = *block.template memory<Shared>();
        Float4* const table = block.template memory<Float4>() + shared_entries;
        Line* const of_lines = reinterpret_cast<Line*>(table + table_entries);

        if (tid < tile_points) shared.points[tid] = tile_point(tiled, view.mesh, middle_x, middle_y, tid);
        const IndexRange lines = view.lines_of_tile[tile_y * tiled.tiles_across() + tile_x];
        const int last_line = static_cast<int>(lines.last);

        // Between blocks of lines the sums lie in memory, and loops over them stay loops: what double precision takes of registers there
        // must not push them out in the inner loop.
        Kept kept{};
        const int in_memory = block.not_known(count);
        int blocks = 0;
        for (int begin = static_cast<int>(lines.first); begin < last_line; begin += view.block_lines, ++blocks) {
            const int in_block = last_line - begin < view.block_lines ? last_line - begin : view.block_lines;
            block.sync();
            prepare(block, shared, reinterpret_cast<Arrival*>(table), begin, in_block, blocks & 1, of_lines);
            const TileFrame& frame = shared.frame[blocks & 1];
            const TileFrame& before = shared.frame[blocks == 0 ? 0 : (blocks & 1) ^ 1];  // at first there is nothing to turn
            change_frame(block, before, frame, view.cells_per_cycle / shared.cells_along, mine, middle_x, middle_y, in_memory, kept);
            block.in_memory(kept);
            Kept registers;
            unrolled<count>([&]<int k>() {
                registers.re[k] = kept.re[k];
                registers.im[k] = kept.im[k];
                registers.along[k] = kept.along[k];
            });
            add_lines(block, begin, in_block, mine, table, of_lines, registers);
            unrolled<count>([&]<int k>() {
                kept.re[k] = registers.re[k];
                kept.im[k] = registers.im[k];
            });
            block.in_memory(kept);
        }

        const TileFrame last = blocks > 0 ? shared.frame[(blocks - 1) & 1] : TileFrame{};
        const TileFrame phase = tile_frame(tile_phase(view.scale, shared.points), 0);
        const TileQuadratic gain = tile_gain(view.scale, shared.points);
        for (int k = 0; k < in_memory; ++k) {
            const int y = mine.y + k * Tiling::apart, at_x = middle_x + mine.x, at_y = middle_y + y;
            const std::uint32_t turns = frame_turns(TileFrame{}, last, mine.x, y) + frame_turns(TileFrame{}, phase, mine.x, y) +
                                        in_turns(last.rise_cycles * static_cast<double>(relief(at_x, at_y)));
            const auto of_pixel = static_cast<float>(gain.value + gain.x * mine.x + gain.y * y);
            store(tile_x, tile_y, at_x, at_y, of_pixel * (phasor_of(block, turns) * Complex64{kept.re[k], kept.im[k]}));
        }
    }

private:
    template <class Block>
    CT_HOST_DEVICE static Complex64 phasor_of(const Block& block, std::uint32_t turns) {
        const Quarters angle = quarters(turns);
        return by_quarters(angle.count, block.phasor(angle.rest_cycles));
    }

    /// Puts the frame of a new block in place of that of the one before, and bends the pixels' line so that cells are straight over it.
    /// The difference is a quadratic along the line: three phasors make it, by two products a pixel, for so few pixels that what they are
    /// rounded by does not grow.
    template <class Block>
    CT_HOST_DEVICE void change_frame(const Block& block, const TileFrame& before, const TileFrame& frame, float along_per_cycle,
                                     const Thread& mine, int middle_x, int middle_y, int pixels, Kept& kept) const {
        constexpr int apart = Tiling::apart, at_a_time = 4;
        static_assert(Tiling::pixels % at_a_time == 0);
        const Complex64 step_of_step = phasor_of(block, in_turns(2 * static_cast<float>(apart * apart) * (before.yy - frame.yy)));
        for (int begin = 0; begin < pixels; begin += at_a_time) {
            const int first_y = mine.y + begin * apart;
            const std::uint32_t first = frame_turns(frame, before, mine.x, first_y);
            Complex64 phasor = phasor_of(block, first),
                      step = phasor_of(block, frame_turns(frame, before, mine.x, first_y + apart) - first);
            unrolled<at_a_time>([&]<int i>() {
                const int k = begin + i, y = first_y + i * apart;
                float bent = frame.bend(static_cast<float>(mine.x), static_cast<float>(y));
                Complex64 sum = phasor * Complex64{kept.re[k], kept.im[k]};
                if (view.relief_m != nullptr) {
                    const auto relief_m = static_cast<double>(relief(middle_x + mine.x, middle_y + y));
                    bent += static_cast<float>(frame.rise_cycles * relief_m);
                    sum = sum * phasor_of(block, in_turns((before.rise_cycles - frame.rise_cycles) * relief_m));
                }
                kept.along[k] = static_cast<float>(y) + bent * along_per_cycle;
                kept.re[k] = sum.re;
                kept.im[k] = sum.im;
                phasor = phasor * step;
                step = step * step_of_step;
            });
        }
    }

    CT_HOST_DEVICE float relief(int x, int y) const {
        if (view.relief_m == nullptr || x < 0 || y < 0 || x >= view.tiled.across || y >= view.tiled.along) return 0;
        return view.relief_m[view.tiled.row(x, y) * view.columns + view.tiled.column(x, y)];
    }

    CT_HOST_DEVICE void store(int tile_x, int tile_y, int x, int y, Complex64 value) const {
        const TiledImage& tiled = view.tiled;
        if (!TiledImage::owns(tile_x, Tiling::across, tiled.across, x) || !TiledImage::owns(tile_y, Tiling::along, tiled.along, y)) return;
        const std::int64_t row = tiled.row(x, y), column = tiled.column(x, y);
        view.image[row * view.columns + column] = is_covered(view.covered_rows, row, column) ? value : Complex64{0, 0};
    }

    /// Frame of a block of lines and what each of them needs, in double precision: arrivals side by side, then line by line.
    template <class Block>
    CT_HOST_DEVICE void prepare(const Block& block, Shared& shared, Arrival* arrivals, int begin, int in_block, int frame,
                                Line* of_lines) const {
        const int tid = block.thread().x, all = lines_in_stages(in_block, Tiling::warps);
        for (int first = 0; first < all; first += arrivals_at_a_time) {
            const int some = all - first < arrivals_at_a_time ? all - first : arrivals_at_a_time;
            for (int i = tid; i < points * some; i += Tiling::threads) {
                const int point = i / some, line = first + i - point * some;
                arrivals[i] = arrival(view.timing, view.paths[begin + (line < in_block ? line : in_block - 1)], shared.points[point].place);
            }
            if (first == 0 && tid >= Tiling::threads - tile_points) {
                const int point = Tiling::threads - 1 - tid;
                shared.centre[point] = arrival(view.timing, view.paths[begin + in_block / 2], shared.points[point].place);
            }
            block.sync();
            if (first == 0 && tid == Tiling::threads - 1) put_middle(shared, frame);
            for (int i = tid; i < some; i += Tiling::threads) {
                const TileQuadratic middle = tile_line<points_of_quadratic>(view.scale, shared.centre, 1, shared.points).cycles;
                const TileLine line = tile_line<points>(view.scale, arrivals + i, some, shared.points);
                put_line(line, middle, shared.points[0], first + i < in_block, of_lines[first + i]);
            }
            block.sync();
        }
    }
    CT_HOST_DEVICE void put_middle(Shared& shared, int frame) const {
        const TileLine middle = tile_line<points_of_quadratic>(view.scale, shared.centre, 1, shared.points);
        shared.frame[frame] = tile_frame(middle.cycles, shared.centre[raised_point].cycles - shared.centre[0].cycles);
        shared.cells_along = static_cast<float>(middle.cell_y);
    }

    CT_HOST_DEVICE void put_line(const TileLine& line, const TileQuadratic& middle, const TilePoint& centre, bool there, Line& to) const {
        const double below = std::floor(line.cell), part = line.cell - below;
        const double along_y = line.cycles.y - middle.y, along_x = line.cycles.x - middle.x;
        const float per_cell = stepped ? 0.0f : static_cast<float>(along_y) / static_cast<float>(line.cell_y);  // cycles
        const auto phase = static_cast<float>(fraction_of(line.cycles.value + centre.phase_cycles));
        const float turn_per_cell = two_pi * per_cell;
        to.step = {static_cast<float>(part - 0.5), static_cast<float>(line.cell_x), static_cast<float>(line.cell_y),
                   two_pi * static_cast<float>(along_x - static_cast<double>(per_cell) * line.cell_x)};
        const bool near_cells = below > -1e9 && below < 1e9;
        const int first_cell = there && near_cells ? static_cast<int>(below) - Tiling::entries / 2 : -(1 << 30);
        to.turned = {as_float(first_cell), turn_per_cell * (0.5f - static_cast<float>(part)) + two_pi * phase, turn_per_cell, 0};
        if constexpr (stepped) {
            to.bend = {two_pi * static_cast<float>(along_y), static_cast<float>(line.cycles.xx - middle.xx) * view.cells_per_cycle,
                       static_cast<float>(line.cycles.xy - middle.xy) * view.cells_per_cycle, 0};
        }
        if constexpr (Weighted) {
            const DopplerWindowView& window = view.window;
            to.weight = {there ? static_cast<float>(window.middle + window.per_hz * line.offset_hz) : -1e9f,
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
    CT_HOST_DEVICE void fetch(const Block& block, int line, const Float4& turned, Complex64* raw) const {
        const int first = as_int(turned.x), lane = block.thread().x & 31;
        const Complex64* const from = view.compressed + static_cast<std::int64_t>(line) * view.cells + first + lane;
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
    CT_HOST_DEVICE void add_lines(const Block& block, int begin, int in_block, const Thread& mine, Float4* table, const Line* of_lines,
                                  Kept& kept) const {
        constexpr int warps = Tiling::warps, entries = Tiling::entries;
        const int warp = block.thread().x >> 5, stages = (in_block + warps - 1) / warps;
        const unsigned origin = block.table_origin(table + entries / 2);
        Complex64 raw[Tiling::chunks];
        fetch(block, begin + warp, of_lines[warp].turned, raw);
        tabulate(block, of_lines[warp].turned, raw, table + warp * entries);
        block.sync();
        for (int stage = 0; stage < stages; ++stage) {
            const int next = (stage + 1) * warps + warp;
            const bool more = stage + 1 < stages;
            if (more) fetch(block, begin + next, of_lines[next].turned, raw);
            unsigned at = origin + static_cast<unsigned>((stage & 1) * warps * entries * 16);
            for (int line = 0; line < warps; line += Tiling::unrolled)
                unrolled<Tiling::unrolled>([&]<int i>() {
                    add_line(block, mine, at, of_lines[stage * warps + line + i], kept);
                    at += entries * 16;
                });
            if (more) tabulate(block, of_lines[next].turned, raw, table + (((stage + 1) & 1) * warps + warp) * entries);
            block.sync();
        }
    }

    template <class Block>
    CT_HOST_DEVICE void add_line(const Block& block, const Thread& mine, unsigned table, const Line& line, Kept& kept) const {
        constexpr int count = Tiling::pixels;
        const Float4 step = line.step;
        const auto x = static_cast<float>(mine.x);
        float cell_x = step.y * x + step.x, cell_y = step.z, angle = step.w * x, before_re = 0, before_im = 0, twice_cosine = 0;
        if constexpr (stepped) {
            const Float4 bend = line.bend;
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
        float re = block.cosine(angle), im = block.sine(angle), weight = 1, more_weight = 0, more_re = 0, more_im = 0;
        if constexpr (Weighted) {
            // Straight between the thread's first and last pixel.
            const float first = line.weight.x + line.weight.y * x + line.weight.z * static_cast<float>(mine.y);
            weight = weight_at(first);
            more_weight = (weight_at(first + line.weight.z * ((count - 1) * Tiling::apart)) - weight) * (1.0f / (count - 1));
            if constexpr (!stepped) {
                more_re = re * more_weight;
                more_im = im * more_weight;
                re *= weight;
                im *= weight;
            }
        }
        unrolled<count>([&]<int k>() {
            const float cell = cell_y * kept.along[k] + cell_x;
            const Float4 entry = block.entry(table, cell);
            const float value_re = cell * entry.z + entry.x, value_im = cell * entry.w + entry.y;
            const float weighed_re = Weighted && stepped ? weight * re : re, weighed_im = Weighted && stepped ? weight * im : im;
            kept.re[k] = value_re * weighed_re + kept.re[k];
            kept.im[k] = value_im * weighed_re + kept.im[k];
            kept.re[k] = -value_im * weighed_im + kept.re[k];
            kept.im[k] = value_re * weighed_im + kept.im[k];
            if constexpr (stepped && k + 1 < count) {
                const float next_re = twice_cosine * re - before_re, next_im = twice_cosine * im - before_im;
                before_re = re;
                before_im = im;
                re = next_re;
                im = next_im;
                weight += more_weight;
            } else if constexpr (Weighted && !stepped) {
                re += more_re;
                im += more_im;
            }
        });
    }
};

}  // namespace cornerturn
