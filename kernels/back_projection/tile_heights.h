// SPDX-License-Identifier: Apache-2.0
// Heights of a tile's pixels, where a map lies over terrain.
#pragma once

#include "kernels/back_projection/tile_surface.h"

namespace cornerturn {

/// The relief of a tile's pixels: a smooth surface over the tile, from which their heights count, and how far they
/// reach from it.
struct TileHeights {
    TileSurface surface_m;
    double half_m = 0;

    /// Off the plane in the tile's middle, at most.
    CT_HOST_DEVICE double off_plane_m(const TileShape& tile) const {
        const double x = 0.5 * tile.across, y = 0.5 * tile.along;
        return half_m + x * x * std::fabs(surface_m.xx) + x * y * std::fabs(surface_m.xy) +
               y * y * std::fabs(surface_m.yy);
    }
};
/// Of relief that lies between `least_m` and `most_m` above a surface.
CT_HOST_DEVICE TileHeights heights_about(TileSurface surface_m, double least_m, double most_m) {
    surface_m.value += 0.5 * (least_m + most_m);
    return {surface_m, 0.5 * (most_m - least_m)};
}
/// A surface makes cells uneven over the tile: it is worth that only if it comes much nearer to the relief.
CT_HOST_DEVICE bool is_worth_it(const TileHeights& bent, const TileHeights& level) {
    return bent.half_m < 0.5 * level.half_m;
}
/// Sums over a tile's pixels, all of them, of which the quadratic of least squares through their relief follows: over
/// so even a grid powers, less their means, are orthogonal.
struct ReliefSums {
    static constexpr int count = 6;
    double of[count] = {};

    CT_HOST_DEVICE void add(const TileShape& tile, int x, int y, double relief_m) {
        const double u = x + 0.5, v = y + 0.5;
        of[0] += relief_m;
        of[1] += relief_m * u;
        of[2] += relief_m * v;
        of[3] += relief_m * (u * u - mean_square(tile.across));
        of[4] += relief_m * (u * v);
        of[5] += relief_m * (v * v - mean_square(tile.along));
    }
    /// Over pixels from the tile's middle.
    CT_HOST_DEVICE TileSurface surface(const TileShape& tile) const {
        const double pixels = static_cast<double>(tile.pixels()), u2 = mean_square(tile.across),
                     v2 = mean_square(tile.along);
        const double x = of[1] / (pixels * u2), y = of[2] / (pixels * v2),
                     xx = of[3] / (pixels * spread_of_square(tile.across)), xy = of[4] / (pixels * u2 * v2),
                     yy = of[5] / (pixels * spread_of_square(tile.along));
        return {.value = of[0] / pixels + 0.5 * (x + y) + (0.25 - u2) * xx + 0.25 * xy + (0.25 - v2) * yy,
                .x = x + xx + 0.5 * xy,
                .y = y + yy + 0.5 * xy,
                .xx = xx,
                .xy = xy,
                .yy = yy};
    }

private:
    /// Of the places -n/2 + 1/2, ..., n/2 - 1/2, and by which their squares spread from that.
    CT_HOST_DEVICE static double mean_square(double n) { return (n * n - 1) / 12; }
    CT_HOST_DEVICE static double spread_of_square(double n) { return (n * n - 1) * (n * n - 4) / 180; }
};

}  // namespace cornerturn
