// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tiles/tiled_scene.h"

#include <cmath>

namespace cornerturn {

TiledScene::Heights TiledScene::heights(const TiledImage& tiled, std::int64_t tile_x, std::int64_t tile_y) const {
    if (geometry.relief_m.empty()) return {};
    const TilePixel middle = tiled.middle(tile_x, tile_y);
    double least = INFINITY, most = -INFINITY;
    std::vector<TilePixel> extremes(2);
    for (int i = 0; i < tiled.tile.across; ++i)
        for (int k = 0; k < tiled.tile.along; ++k) {
            const TilePixel at = tiled.pixel(middle, i - tiled.tile.across / 2, k - tiled.tile.along / 2);
            const double height_m = relief_at(at.x, at.y);
            if (height_m < least) least = height_m, extremes[0] = at;
            if (height_m > most) most = height_m, extremes[1] = at;
        }
    return {0.5 * (least + most), 0.5 * (most - least), extremes};
}

bool TiledScene::holds(const Tile& tile, const Heights& heights, IndexRange lines, AlongPhase along,
                       int block_lines) const {
    const int looks = heights.half_m > 0 ? 5 : 3;  // hills lie anywhere
    return tile.signal_to_error_db(lines, {along, Framing::exact}, block_lines, looks, heights.extremes) >=
           pass.signal_to_error_db + spare_db;
}

bool TiledScene::holds(const CpuTiling& tiling) const {
    constexpr std::int64_t each_way = 4;
    const std::int64_t cut = image.cut_tiles();
    int held = 0, asked = 0;
    for (std::int64_t i = 0; i < each_way; ++i)
        for (std::int64_t k = 0; k < each_way; ++k) {
            const std::int64_t x = (image.tiles_across() - 1) * i / (each_way - 1),
                               y = cut + (image.tiles_along() - 2 * cut - 1) * k / (each_way - 1);
            const Heights of_tile = heights(image, x, y);
            const Tile tile(pass, geometry, image, x, y, of_tile.middle_m, of_tile.half_m);
            const IndexRange lines = tile.lines();
            if (lines.first == lines.last) continue;
            ++asked;
            held += holds(tile, of_tile, lines, tiling.along, tiling.block_lines) ? 1 : 0;
        }
    return 4 * held >= 3 * asked;
}

}  // namespace cornerturn
