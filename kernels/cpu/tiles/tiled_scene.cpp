// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tiles/tiled_scene.h"

namespace cornerturn {

bool TiledScene::holds(const Tile& tile, IndexRange lines, AlongPhase along, int block_lines) const {
    const int looks = tile.heights().half_m > 0 ? 5 : 3;  // hills lie anywhere
    return tile.signal_to_error_db(lines, {along, bends(along), Framing::exact}, block_lines, looks) >=
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
            const Tile tile(pass, geometry, image, x, y);
            const IndexRange lines = tile.lines();
            if (lines.first == lines.last) continue;
            ++asked;
            held += holds(tile, lines, tiling.along, tiling.block_lines) ? 1 : 0;
        }
    return 4 * held >= 3 * asked;
}

}  // namespace cornerturn
