// SPDX-License-Identifier: Apache-2.0
// A look at every tile of an image before it is summed.
#pragma once

#include <climits>
#include <cstdint>

#include "kernels/cuda/back_projection/view.h"

namespace cornerturn {

struct TileLook {
    PlannedTile tile;
    int cells;
    float error_cycles;  ///< of the phase, the largest that was seen
};

/// A block looks at the heights of a tile, then at every eighth line and the last: whether the tile needs it, and how
/// many cells of it; and how far off some pixels, with the lowest and the highest among them, are in one of them.
struct TileLooks {
    AccumulationView view;
    AlongPhase along;
    CellBends bends;
    TileLook* looks;

    static constexpr int threads = 128, pixels_each_way = 5, looked_lines = KeyLines::count + 2;
    /// A pixel, from the tile's middle, and its height above the tile's surface.
    struct Raised {
        double height_m;
        int x, y;
    };
    struct Shared {
        ReliefSums sums[threads];
        Raised lowest[threads], highest[threads];  ///< of a thread
        TileHeights heights;
        Raised extremes[2];  ///< the lowest and the highest of all
        TilePoint points[tile_points];
        Arrival at[looked_lines][points_of_biquadratic + 1];
        double node_cycles[quartic_nodes * quartic_nodes];
        int first, last, cells, error;
    };
    __device__ void operator()() const {
        __shared__ Shared shared;
        const int tid = static_cast<int>(threadIdx.x);
        const TiledImage& tiled = view.tiled;
        const int middle_x = static_cast<int>(tiled.middle_x(blockIdx.x)),
                  middle_y = static_cast<int>(tiled.middle_y(blockIdx.y));
        find_heights(shared, middle_x, middle_y);
        const TileHeights& heights = shared.heights;
        if (tid < tile_points) shared.points[tid] = tile_point(tiled, view.mesh, middle_x, middle_y, tid, heights);
        if (tid == 0) shared.first = INT_MAX, shared.last = -1, shared.cells = 0, shared.error = 0;
        __syncthreads();
        const bool rises = view.relief_m != nullptr;
        for (std::int64_t look = tid; look * looked_at_every < view.lines + looked_at_every - 1; look += threads) {
            const std::int64_t number = min(look * looked_at_every, view.lines - 1);
            Arrival at[points_of_slopes + 1];
            for (int i = 0; i < points_of_slopes; ++i)
                at[i] = arrival(view.timing, view.paths[number], shared.points[i].place);
            at[points_of_slopes] =
                rises ? arrival(view.timing, view.paths[number], shared.points[raised_point].place) : at[0];
            const TileLine line = whole_tile_line<points_of_slopes>(view.scale, at, 1, shared.points);
            if (!weighs(view.window, view.scale, line)) continue;
            atomicMin(&shared.first, static_cast<int>(number));
            atomicMax(&shared.last, static_cast<int>(number));
            const double needed = cells_of(tiled.tile, line, heights, view.cells_per_cycle);
            atomicMax(&shared.cells, needed < 1e6 ? static_cast<int>(ceil(needed)) : 1000000);
        }
        __syncthreads();
        if (shared.last >= 0 && along == AlongPhase::curved)
            look_at_pixels<points_of_biquadratic>(shared, heights, middle_x, middle_y);
        else if (shared.last >= 0)
            look_at_pixels<points_of_quadratic>(shared, heights, middle_x, middle_y);
        __syncthreads();
        if (tid > 0) return;
        const bool whole = view.window.weight == nullptr;
        const IndexRange lines =
            whole ? IndexRange{0, view.lines}
                  : recorded({shared.first - looked_at_every, shared.last + looked_at_every + 1}, view.lines);
        const PlannedTile tile{static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y),
                               shared.last < 0 ? IndexRange{0, 0} : lines, heights};
        looks[blockIdx.y * gridDim.x + blockIdx.x] = {tile, shared.cells, __int_as_float(shared.error)};
    }

private:
    /// As Tile has them.
    __device__ void find_heights(Shared& shared, int middle_x, int middle_y) const {
        const int tid = static_cast<int>(threadIdx.x);
        const TileShape& shape = view.tiled.tile;
        if (tid == 0) shared.heights = {}, shared.extremes[0] = shared.extremes[1] = {0, 0, 0};
        __syncthreads();
        if (view.relief_m == nullptr) return;
        const auto for_pixels = [&](const auto& what) {
            for (int i = tid; i < static_cast<int>(shape.pixels()); i += threads) {
                const int x = i / shape.along - shape.across / 2, y = i % shape.along - shape.along / 2;
                what(x, y, relief_m(view.tiled.nearest(view.tiled.pixel({middle_x, middle_y}, x, y))));
            }
        };
        ReliefSums sums;
        for_pixels([&](int x, int y, double relief_m) { sums.add(shape, x, y, relief_m); });
        shared.sums[tid] = sums;
        __syncthreads();
        if (tid < ReliefSums::count)
            for (int i = 1; i < threads; ++i) shared.sums[0].of[tid] += shared.sums[i].of[tid];
        __syncthreads();
        for (const TileSurface& surface_m : {TileSurface{}, shared.sums[0].surface(shape)}) {
            Raised lowest{INFINITY, 0, 0}, highest{-INFINITY, 0, 0};
            for_pixels([&](int x, int y, double relief_m) {
                const double height_m = relief_m - surface_m.at(x, y);
                if (height_m < lowest.height_m) lowest = {height_m, x, y};
                if (height_m > highest.height_m) highest = {height_m, x, y};
            });
            shared.lowest[tid] = lowest;
            shared.highest[tid] = highest;
            __syncthreads();
            if (tid == 0) find_extremes(shared, surface_m);
            __syncthreads();
        }
    }
    /// Of all threads, above a surface; kept where it is the first, or worth it.
    __device__ static void find_extremes(Shared& shared, const TileSurface& surface_m) {
        Raised lowest = shared.lowest[0], highest = shared.highest[0];
        for (int i = 1; i < threads; ++i) {
            if (shared.lowest[i].height_m < lowest.height_m) lowest = shared.lowest[i];
            if (shared.highest[i].height_m > highest.height_m) highest = shared.highest[i];
        }
        const TileHeights heights = heights_about(surface_m, lowest.height_m, highest.height_m);
        if (shared.heights.half_m > 0 && !is_worth_it(heights, shared.heights)) return;
        shared.heights = heights;
        shared.extremes[0] = lowest;
        shared.extremes[1] = highest;
    }
    __device__ double relief_m(const TilePixel& at) const { return view.relief_m[view.tiled.number(at)]; }

    /// In the last line of a block between two of the lines at which pixels are looked at.
    template <int Points>
    __device__ void look_at_pixels(Shared& shared, const TileHeights& heights, int middle_x, int middle_y) const {
        const int tid = static_cast<int>(threadIdx.x);
        const IndexRange all{shared.first, shared.last + 1};
        const KeyLines whole(all);
        const std::int64_t middle_number = whole.middle + whole.apart / 2;
        const std::int64_t number = min(middle_number + view.block_lines / 2, static_cast<std::int64_t>(shared.last));
        const KeyLines keys(view.segment_lines > 0 ? segment_of(all, view.segment_lines, middle_number) : all);
        const auto line_at = [&](int place) {
            return place < KeyLines::count ? keys.line(place) : place == KeyLines::count ? middle_number : number;
        };
        constexpr int points = Points + 1;
        if (tid < looked_lines * points)
            shared.at[tid / points][tid % points] = arrival(view.timing, view.paths[line_at(tid / points)],
                                                            shared.points[point_at<Points>(tid % points)].place);
        if (tid < quartic_nodes * quartic_nodes)
            shared.node_cycles[tid] = arrival(view.timing, view.paths[middle_number],
                                              quartic_place(view.tiled, view.mesh, middle_x, middle_y,
                                                            tid / quartic_nodes, tid % quartic_nodes))
                                          .cycles;
        __syncthreads();
        constexpr int evenly = pixels_each_way * pixels_each_way;
        if (tid >= evenly + 2) return;
        const TileLine middle = whole_tile_line<Points>(view.scale, shared.at[KeyLines::count], 1, shared.points);
        const TileLine line = whole_tile_line<Points>(view.scale, shared.at[KeyLines::count + 1], 1, shared.points);
        const auto pixel_of = [&](int place, double half) {
            return static_cast<int>(rint((place * 0.45 - 0.9) * half));
        };
        const TiledImage& tiled = view.tiled;
        const Raised& extreme = shared.extremes[tid == evenly ? 0 : 1];
        const int x = tid < evenly ? pixel_of(tid % pixels_each_way, view.scale.half_x) : extreme.x,
                  y = tid < evenly ? pixel_of(tid / pixels_each_way, view.scale.half_y) : extreme.y;
        const TilePixel pixel = tiled.pixel({middle_x, middle_y}, x, y);
        if (!tiled.holds(pixel.x, pixel.y)) return;
        const double above_m = view.relief_m == nullptr ? 0.0 : relief_m(pixel),
                     height_m = above_m - heights.surface_m.at(x, y);
        const Place place =
            raised(tiled.node(view.mesh, static_cast<double>(pixel.x), static_cast<double>(pixel.y)), above_m);
        double bent = middle.bend(x, y, height_m);
        if (framing_of(along, view.segment_lines) == Framing::quartic)
            bent = quartic_at(x / view.scale.half_x, y / view.scale.half_y,
                              [&](int a, int b) { return shared.node_cycles[a * quartic_nodes + b]; }) -
                   middle.cycles.value - middle.cycles.x * x - middle.cycles.y * y;
        if (view.segment_lines > 0) {
            double beyond[KeyLines::count];
            for (int key = 0; key < KeyLines::count; ++key)
                beyond[key] =
                    whole_tile_line<Points>(view.scale, shared.at[key], 1, shared.points)
                        .beyond(arrival(view.timing, view.paths[keys.line(key)], place).cycles, x, y, height_m);
            bent += beyond[1] + FollowedPixel(beyond[0], beyond[1], beyond[2])
                                    .from_middle(static_cast<float>(keys.place(middle_number)));
        }
        const AddedPhase added = added_phase(along, bends, line, middle, view.cells_per_cycle, heights.half_m);
        const SeenPixel seen = seen_pixel(along, line, middle, added, view.cells_per_cycle, x, y, bent);
        const double error_cycles =
            arrival(view.timing, view.paths[number], place).cycles - line.cycles.value - seen.cycles;
        atomicMax(&shared.error, __float_as_int(static_cast<float>(fabs(error_cycles))));
    }
};

}  // namespace cornerturn
