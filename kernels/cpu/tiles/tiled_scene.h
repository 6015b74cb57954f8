// SPDX-License-Identifier: Apache-2.0
// Data that all threads of a tiled sum share, and the choice of tiles that hold the required accuracy.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/back_projection/accumulation_plan.h"

namespace cornerturn {

/// A tile's shape and how its phase is kept.
struct CpuTiling {
    TileShape tile;
    AlongPhase along;
    int block_lines;
};
inline constexpr int most_block_lines = 256, most_lanes = 16;
/// A block of one line is the exact sum: a frame in double precision for each line, single precision about it. Where
/// cells hold the phase it is not worth having.
inline constexpr int fewest_block_lines(AlongPhase along) { return along == AlongPhase::in_cells ? 8 : 1; }
/// Rounding and what a few looks miss take so much of what is allowed.
inline constexpr double spare_db = 5;

/// An image to be summed in tiles, and what is asked of them.
struct TiledScene {
    Accumulation pass;
    AccumulationGeometry geometry;
    int lanes;
    TiledImage image;
    std::vector<float> window;  ///< with zeros behind
    float largest_weight_bend = 0;
    double level_from_middle = 0;  ///< so far from the window's middle, in entries, all weigh the same
    float level_weight = 1;
    double mean_square_weight = 1;  ///< of the lines that it weighs

    TiledImage in_tiles(const TileShape& tile) const {
        return {image.across, image.along, image.columns_along, tile, image.shear};
    }

    /// Of a pixel of the tiled image, or of its nearest where it lies outside.
    double relief_at(std::int64_t x, std::int64_t y) const {
        return geometry.relief_at_m(image.number(image.nearest({x, y})));
    }

    bool holds(const Tile& tile, IndexRange lines, AlongPhase along, int block_lines) const;
    /// Whether most of the image's tiles hold: some, evenly over it, are asked.
    bool holds(const CpuTiling& tiling) const;
    bool has_hills() const { return !geometry.relief_m.empty(); }
    CellBends bends(AlongPhase along) const {
        return has_hills() && along == AlongPhase::curved ? CellBends::apart : CellBends::along;
    }
    double cells_per_cycle() const { return pass.timing.cell_rate_hz / pass.timing.carrier_hz; }
};

}  // namespace cornerturn
