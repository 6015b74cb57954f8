// SPDX-License-Identifier: Apache-2.0
// A look at every tile of an image before it is summed.
#pragma once

#include <climits>
#include <cstdint>

#include "kernels/cuda/back_projection/view.h"

namespace cornerturn {

struct TileLook {
    IndexRange lines;
    int cells;
    float error_cycles;  ///< of the phase, the largest that was seen
};

/// A block looks at every eighth line: which the tile needs, and how many cells of them; and how far off its pixels are
/// in one of them.
struct TileLooks {
    AccumulationView view;
    AlongPhase along;
    TileLook* looks;

    static constexpr int threads = 128, pixels_each_way = 5, looked_lines = KeyLines::count + 2;
    struct Shared {
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
        if (tid < tile_points) shared.points[tid] = tile_point(tiled, view.mesh, middle_x, middle_y, tid);
        if (tid == 0) shared.first = INT_MAX, shared.last = -1, shared.cells = 0, shared.error = 0;
        __syncthreads();
        for (std::int64_t number = tid * looked_at_every; number < view.lines; number += threads * looked_at_every) {
            Arrival at[points_of_slopes];
            for (int i = 0; i < points_of_slopes; ++i)
                at[i] = arrival(view.timing, view.paths[number], shared.points[i].place);
            const TileLine line = tile_line<points_of_slopes>(view.scale, at, 1, shared.points);
            if (!weighs(view.window, view.scale, line)) continue;
            atomicMin(&shared.first, static_cast<int>(number));
            atomicMax(&shared.last, static_cast<int>(number));
            const double needed = cells_of(tiled.tile, line);
            atomicMax(&shared.cells, needed < 1e6 ? static_cast<int>(ceil(needed)) : 1000000);
        }
        __syncthreads();
        if (shared.last >= 0 && along == AlongPhase::curved)
            look_at_pixels<points_of_biquadratic>(shared, middle_x, middle_y);
        else if (shared.last >= 0)
            look_at_pixels<points_of_quadratic>(shared, middle_x, middle_y);
        __syncthreads();
        if (tid > 0) return;
        const bool whole = view.window.weight == nullptr;
        const IndexRange lines =
            whole ? IndexRange{0, view.lines}
                  : recorded({shared.first - looked_at_every, shared.last + looked_at_every + 1}, view.lines);
        looks[blockIdx.y * gridDim.x + blockIdx.x] = {shared.last < 0 ? IndexRange{0, 0} : lines, shared.cells,
                                                      __int_as_float(shared.error)};
    }

private:
    /// In the last line of a block between two of the lines at which pixels are looked at.
    template <int Points>
    __device__ void look_at_pixels(Shared& shared, int middle_x, int middle_y) const {
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
        if (tid >= pixels_each_way * pixels_each_way) return;
        const TileLine middle = whole_tile_line<Points>(view.scale, shared.at[KeyLines::count], 1, shared.points);
        const TileLine line = whole_tile_line<Points>(view.scale, shared.at[KeyLines::count + 1], 1, shared.points);
        const bool rises = heights_matter(view.largest_relief_m, shared.at[0][Points].cell - shared.at[0][0].cell);
        const auto pixel_of = [&](int place, double half) {
            return static_cast<int>(rint((place * 0.45 - 0.9) * half));
        };
        const TiledImage& tiled = view.tiled;
        const int x = pixel_of(tid % pixels_each_way, view.scale.half_x),
                  y = pixel_of(tid / pixels_each_way, view.scale.half_y);
        const std::int64_t at_x = middle_x + x, at_y = middle_y + y + tiled.shear * x;
        if (!tiled.holds(at_x, at_y)) return;
        const double relief_m = view.relief_m == nullptr
                                    ? 0.0
                                    : view.relief_m[tiled.row(at_x, at_y) * view.columns + tiled.column(at_x, at_y)];
        const Place place =
            raised(tiled.node(view.mesh, static_cast<double>(at_x), static_cast<double>(at_y)), relief_m);
        double bent = middle.bend(x, y, relief_m);
        if (framing_of(along, view.segment_lines) == Framing::quartic)
            bent = quartic_at(x / view.scale.half_x, y / view.scale.half_y,
                              [&](int a, int b) { return shared.node_cycles[a * quartic_nodes + b]; }) -
                   middle.cycles.value - middle.cycles.x * x - middle.cycles.y * y;
        if (view.segment_lines > 0) {
            double beyond[KeyLines::count];
            for (int key = 0; key < KeyLines::count; ++key)
                beyond[key] =
                    whole_tile_line<Points>(view.scale, shared.at[key], 1, shared.points)
                        .beyond(arrival(view.timing, view.paths[keys.line(key)], place).cycles, x, y, relief_m);
            bent += beyond[1] + FollowedPixel(beyond[0], beyond[1], beyond[2])
                                    .from_middle(static_cast<float>(keys.place(middle_number)));
        }
        const AddedPhase added = added_phase(along, line, middle, view.cells_per_cycle, rises);
        const SeenPixel seen = seen_pixel(along, line, middle, added, view.cells_per_cycle, x, y, bent);
        const double error_cycles =
            arrival(view.timing, view.paths[number], place).cycles - line.cycles.value - seen.cycles;
        atomicMax(&shared.error, __float_as_int(static_cast<float>(fabs(error_cycles))));
    }
};

}  // namespace cornerturn
