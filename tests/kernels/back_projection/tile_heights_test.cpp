// SPDX-License-Identifier: Apache-2.0
#include "kernels/back_projection/tile_heights.h"

#include <gtest/gtest.h>

#include "kernels/back_projection/accumulation_plan.h"
#include "tests/kernels/back_projection/accumulation_scene.h"

namespace cornerturn {
namespace {

template <class Relief>
void for_pixels(const TileShape& tile, const Relief& relief) {
    for (int x = -tile.across / 2; x < tile.across - tile.across / 2; ++x)
        for (int y = -tile.along / 2; y < tile.along - tile.along / 2; ++y) relief(x, y);
}

/// Of any quadratic the surface is it, about the tile's middle pixel.
TEST(ReliefSums, FindQuadratics) {
    const TileSurface want{.value = 812, .x = -1.5, .y = 0.7, .xx = 0.02, .xy = -0.03, .yy = 0.05};
    for (const TileShape tile : {TileShape{64, 32}, {16, 8}, {256, 24}}) {
        ReliefSums sums;
        for_pixels(tile, [&](int x, int y) { sums.add(tile, x, y, want.at(x, y)); });
        const TileSurface got = sums.surface(tile);
        for_pixels(tile, [&](int x, int y) { EXPECT_NEAR(got.at(x, y), want.at(x, y), 1e-9); });
    }
}
TEST(ReliefSums, AreNoFartherThanAnyOtherQuadratic) {
    const TileShape tile{32, 16};
    const auto relief_m = [](int x, int y) { return std::sin(0.3 * x + 0.1) * std::cos(0.4 * y) + 0.01 * x * x * y; };
    ReliefSums sums;
    for_pixels(tile, [&](int x, int y) { sums.add(tile, x, y, relief_m(x, y)); });
    const auto squares = [&](const TileSurface& surface) {
        double sum = 0;
        for_pixels(tile, [&](int x, int y) { sum += std::pow(relief_m(x, y) - surface.at(x, y), 2); });
        return sum;
    };
    const TileSurface best = sums.surface(tile);
    for (double TileSurface::*const term :
         {&TileSurface::value, &TileSurface::x, &TileSurface::y, &TileSurface::xx, &TileSurface::xy, &TileSurface::yy})
        for (const double more : {-1e-3, 1e-3}) {
            TileSurface other = best;
            other.*term += more;
            EXPECT_GT(squares(other), squares(best));
        }
}

TileHeights heights_of(const AccumulationScene& scene) {
    const AccumulationCase of = accumulation_case(scene);
    return Tile(of.pass, of.geometry, tiled_image(of.pass, of.geometry, {32, 32}), 0, 0).heights();
}
TEST(TileHeights, CountFromASurfaceThroughHillsThatAreWiderThanTheTile) {
    const TileHeights wide = heights_of({.relief_m = 10, .hill_width = 4});
    EXPECT_LT(wide.half_m, 0.5);
    EXPECT_NE(wide.surface_m.x, 0);
    EXPECT_GE(wide.off_plane_m({32, 32}), wide.half_m);
}
TEST(TileHeights, CountFromALevelWhereASurfaceHardlyComesNearer) {
    const TileHeights narrow = heights_of({.relief_m = 10, .hill_width = 0.2});
    EXPECT_NEAR(narrow.half_m, 10, 0.5);
    EXPECT_EQ(narrow.surface_m.x, 0);
    EXPECT_EQ(narrow.off_plane_m({32, 32}), narrow.half_m);
}
TEST(TileHeights, AreNoneWithoutRelief) {
    const TileHeights none = heights_of({});
    EXPECT_EQ(none.half_m, 0);
    EXPECT_EQ(none.surface_m.at(3, 4), 0);
}

}  // namespace
}  // namespace cornerturn
