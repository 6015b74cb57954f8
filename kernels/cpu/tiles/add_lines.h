// SPDX-License-Identifier: Apache-2.0
// The vector code that adds a block of lines to a tile, by number of lanes.
#pragma once

#include "kernels/back_projection/accumulation_tile.h"
#include "kernels/cpu/tiles/tile_block.h"

namespace cornerturn {

using AddLines = void (*)(const TileBlock&);
/// With vectors of 16, 8 or 4 lanes. Cells bend apart only where phase is curved.
AddLines line_adder(int lanes, AlongPhase along, CellBends bends, bool weighted);

}  // namespace cornerturn
