// SPDX-License-Identifier: Apache-2.0
// What has to be known before back-projection goes tile by tile: which lines a tile needs, and whether what is neglected within tiles and
// blocks of lines is small enough.
#pragma once

#include "kernels/accumulation_tile.h"

namespace cornerturn {

/// Lines between those that are looked at when it is asked which of them a tile needs.
inline constexpr std::int64_t looked_at_every = 8;

/// Whether the Doppler window weighs a line anywhere in a tile.
CT_HOST_DEVICE bool weighs(const DopplerWindowView& window, const TileScale& scale, const TileLine& line) {
    if (window.weight == nullptr) return true;
    const double spread_hz = std::fabs(line.offset_x) * scale.half_x + std::fabs(line.offset_y) * scale.half_y;
    return (std::fabs(line.offset_hz) - spread_hz) * window.per_hz < window.middle;
}

/// An image whose tiles lie along range: in the direction in which the cell changes most in its middle.
TiledImage tiled_image(const Accumulation& pass, const AccumulationGeometry& geometry, TileShape tile);

/// Lines that any pixel of a tile needs.
IndexRange lines_of_tile(const Accumulation& pass, const AccumulationGeometry& geometry, const TiledImage& image, std::int64_t tile_x,
                         std::int64_t tile_y);

/// What tiles neglect, at worst over tiles, blocks and lines all over image and aperture.
struct TileError {
    double signal_to_error_db = 0;  ///< of a tile of pixels to the sums in double precision, arithmetic apart
    double cells = 0;               ///< that a tile needs of a line
};
TileError tile_error(const Accumulation& pass, const AccumulationGeometry& geometry, const TiledImage& image, AlongPhase along,
                     int block_lines);

}  // namespace cornerturn
