// SPDX-License-Identifier: Apache-2.0
// A line as the vector code needs it, made from its arrivals over a tile in double precision.
#pragma once

#include "kernels/back_projection/accumulation_tile.h"
#include "kernels/cpu/tiles/tile_block.h"
#include "kernels/cpu/tiles/tiled_scene.h"

namespace cornerturn {

/// What a line is over a tile, by its arrivals at the tile's points, `stride` apart.
TileLine line_of(const Tile& tile, AlongPhase along, const Arrival* at, std::int64_t stride);
/// That line beside the one in the middle of its block.
LineStep step_of(const TiledScene& scene, const Tile& tile, const TileLine& seen, const TileLine& middle,
                 AlongPhase along);

/// The layout whose patches span the fewest cells of a line.
TileLayout layout_of(const TileShape& tile, int lanes, const TileLine& line);

}  // namespace cornerturn
