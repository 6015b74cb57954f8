// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tiles/add_lines.h"

#include <stdexcept>

#include "kernels/cpu/tiles/tile_sums.h"
#include "kernels/host/vector_clones.h"

namespace cornerturn {
namespace {

template <AlongPhase Along, bool Weighted>
CT_FOR_16_LANES void add_16(const TileBlock& block) {
    TileSums<16, Along, Weighted>(block).add();
}
template <AlongPhase Along, bool Weighted>
CT_FOR_8_LANES void add_8(const TileBlock& block) {
    TileSums<8, Along, Weighted>(block).add();
}
template <AlongPhase Along, bool Weighted>
void add_4(const TileBlock& block) {
    TileSums<4, Along, Weighted>(block).add();
}

template <AlongPhase Along, bool Weighted>
AddLines adder(int lanes) {
    if (lanes == 16) return add_16<Along, Weighted>;
    if (lanes == 8) return add_8<Along, Weighted>;
    if (lanes == 4) return add_4<Along, Weighted>;
    throw std::logic_error("vectors of back-projection have 4, 8 or 16 lanes");
}

}  // namespace

AddLines line_adder(int lanes, AlongPhase along, bool weighted) {
    using enum AlongPhase;
    if (weighted)
        return along == curved    ? adder<curved, true>(lanes)
               : along == stepped ? adder<stepped, true>(lanes)
                                  : adder<in_cells, true>(lanes);
    return along == curved    ? adder<curved, false>(lanes)
           : along == stepped ? adder<stepped, false>(lanes)
                              : adder<in_cells, false>(lanes);
}

}  // namespace cornerturn
