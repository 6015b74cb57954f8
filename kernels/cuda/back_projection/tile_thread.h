// SPDX-License-Identifier: Apache-2.0
// Which pixels of a tile a thread sums.
#pragma once

#include "kernels/back_projection/accumulation_tile.h"

namespace cornerturn {

/// Where the pixels of a thread lie: the first, from the middle of its tile; that middle, in the image.
template <class Tiling>
struct TileThread {
    int x, y, middle_x, middle_y;
    int first_y;  ///< of the first along the image
    CT_HOST_DEVICE int y_of(int pixel) const { return y + pixel * Tiling::apart; }
    CT_HOST_DEVICE int image_x() const { return middle_x + x; }
    CT_HOST_DEVICE int image_y(int pixel) const { return first_y + pixel * Tiling::apart; }

    template <class Block>
    CT_HOST_DEVICE static TileThread of(const Block& block, const TiledImage& tiled, int tile_x, int tile_y) {
        const int lane = block.thread().x & 31, warp = block.thread().x >> 5;
        // A quarter of a warp is 4 x 2 pixels where a warp is 8 wide: they span fewer than eight cells, so that none
        // meet in a bank.
        const int in_x = Tiling::warp_across == 8 ? (lane & 3) | ((lane >> 3 & 1) << 2) : lane % Tiling::warp_across;
        const int in_y = Tiling::warp_across == 8 ? (lane >> 2 & 1) | (lane >> 4 << 1) : lane / Tiling::warp_across;
        const int x = warp % Tiling::warps_across * Tiling::warp_across + in_x,
                  y = warp / Tiling::warps_across * Tiling::warp_along + in_y;
        const int middle_x = static_cast<int>(tiled.middle_x(tile_x)),
                  middle_y = static_cast<int>(tiled.middle_y(tile_y)), from_x = x - Tiling::across / 2,
                  from_y = y - Tiling::along / 2;
        return {from_x, from_y, middle_x, middle_y, middle_y + from_y + tiled.shear * from_x};
    }
};

}  // namespace cornerturn
