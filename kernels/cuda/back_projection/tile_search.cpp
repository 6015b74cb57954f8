// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/back_projection/tile_search.h"

#include <algorithm>

#include "kernels/cuda/launch/kernel_grid.h"

namespace cornerturn {
namespace {

/// What is not predicted takes so much of what is allowed: tiles between those looked at, and that curves are straight
/// between bends.
double spare_db_of(AlongPhase along) { return along == AlongPhase::curved ? 3 : 0.3; }

/// A metre of height is two of the way.
double most_cells_of_relief(const Accumulation& pass, const AccumulationGeometry& geometry) {
    if (geometry.relief_m.empty()) return 0;
    double rise = 0;
    for (const PixelNode& node : geometry.pixels.nodes) rise = std::max(rise, distance_m(node.rise, Place{}));
    return 2 * rise * geometry.largest_relief_m() * 2 / c_m_s * pass.timing.cell_rate_hz;
}

}  // namespace

TileSearch::TileSearch(const Accumulation& pass, const AccumulationGeometry& geometry,
                       std::span<const TileKernel> kernels, std::size_t shared_limit)
    : pass_(pass), geometry_(geometry), cells_of_relief_(most_cells_of_relief(pass, geometry)) {
    // Where pixels have heights of their own, they are followed.
    const bool hills = !geometry.relief_m.empty();
    for (const TileKernel& kernel : kernels)
        for (const int lines : block_lengths)
            for (const int segment : {0, 1 << 20, 4096, 1024, 256})
                if (lines <= kernel.most_block_lines && kernel.shared_bytes(lines) <= shared_limit &&
                    (segment > 0 ? kernel.follows : !hills))
                    choices_.push_back({&kernel, lines, (segment + lines - 1) / lines * lines});
    std::stable_sort(choices_.begin(), choices_.end(),
                     [](const TileChoice& a, const TileChoice& b) { return a.rate() > b.rate(); });
}

std::optional<TileSearch::Found> TileSearch::next() {
    while (next_ < choices_.size()) {
        const TileChoice& choice = choices_[next_++];
        const TileKernel& kernel = *choice.kernel;
        auto& [tiled, tiles] = sampled_[&kernel];
        if (tiles == nullptr) {
            tiled = tiled_image(pass_, geometry_, kernel.tile, Shear::where_it_pays);
            tiles = std::make_unique<SampledTiles>(pass_, geometry_, tiled);
        }
        if (tiled.tiles_along() > most_blocks_y || tiles->cells() + cells_of_relief_ > kernel.entries) continue;
        const TileMethod method{kernel.along, framing_of(kernel.along, choice.segment_lines), choice.segment_lines,
                                kernel.largest_step_cycles};
        if (tiles->hold(method, choice.block_lines, pass_.signal_to_error_db + spare_db_of(kernel.along)))
            return Found{choice, tiled, *tiles};
    }
    return std::nullopt;
}

}  // namespace cornerturn
