// SPDX-License-Identifier: Apache-2.0
// The vector code that adds a block of lines to a tile, by number of lanes.
#pragma once

#include "kernels/back_projection/accumulation_tile.h"
#include "kernels/cpu/tiles/tile_block.h"

namespace cornerturn {

using AddLines = void (*)(const TileBlock&);
/// With vectors of 16, 8 or 4 lanes.
AddLines line_adder(int lanes, AlongPhase along, bool weighted);

}  // namespace cornerturn
