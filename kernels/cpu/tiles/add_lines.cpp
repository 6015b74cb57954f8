// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tiles/add_lines.h"

#include <stdexcept>

#include "kernels/cpu/tiles/tile_sums.h"
#include "kernels/host/vector_clones.h"

namespace cornerturn {
namespace {

template <AlongPhase Along, CellBends Bends, bool Weighted>
CT_FOR_16_LANES void add_16(const TileBlock& block) {
    TileSums<16, Along, Bends, Weighted>(block).add();
}
template <AlongPhase Along, CellBends Bends, bool Weighted>
CT_FOR_8_LANES void add_8(const TileBlock& block) {
    TileSums<8, Along, Bends, Weighted>(block).add();
}
template <AlongPhase Along, CellBends Bends, bool Weighted>
void add_4(const TileBlock& block) {
    TileSums<4, Along, Bends, Weighted>(block).add();
}

template <AlongPhase Along, CellBends Bends, bool Weighted>
AddLines adder(int lanes) {
    if (lanes == 16) return add_16<Along, Bends, Weighted>;
    if (lanes == 8) return add_8<Along, Bends, Weighted>;
    if (lanes == 4) return add_4<Along, Bends, Weighted>;
    throw std::logic_error("vectors of back-projection have 4, 8 or 16 lanes");
}

template <bool Weighted>
AddLines adder(int lanes, AlongPhase along, CellBends bends) {
    using enum AlongPhase;
    if (bends == CellBends::apart) return adder<curved, CellBends::apart, Weighted>(lanes);
    if (along == curved) return adder<curved, CellBends::along, Weighted>(lanes);
    if (along == stepped) return adder<stepped, CellBends::along, Weighted>(lanes);
    return adder<in_cells, CellBends::along, Weighted>(lanes);
}

}  // namespace

AddLines line_adder(int lanes, AlongPhase along, CellBends bends, bool weighted) {
    return weighted ? adder<true>(lanes, along, bends) : adder<false>(lanes, along, bends);
}

}  // namespace cornerturn
