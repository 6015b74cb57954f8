// SPDX-License-Identifier: Apache-2.0
// How a block of threads shares out a tile, for the images and geometries that there are.
#pragma once

#include "kernels/back_projection/accumulation_tile.h"

namespace cornerturn {

/// The pixels of a thread lie `apart`; a warp is warp_across x warp_along pixels.
template <int WarpCount, int TileAcross, int PixelsOfThread, int WarpPixelsAcross, int CellChunks,
          int BlocksOfProcessor, int UnrolledLines, AlongPhase Along, CellBends Bends = CellBends::along>
struct TilingOf {
    static constexpr int warps = WarpCount, across = TileAcross, pixels = PixelsOfThread,
                         warp_across = WarpPixelsAcross, chunks = CellChunks;
    static constexpr int threads = 32 * warps, apart = threads / across, along = apart * pixels,
                         blocks_per_processor = BlocksOfProcessor;
    static constexpr int entries = 31 * chunks;  ///< of a line's cells in the table
    static constexpr int unrolled = UnrolledLines;
    /// Where phase is stepped: pixels of a thread from bend to bend, odd so that bends lie evenly about its middle.
    static constexpr double part_between_bends() { return static_cast<double>(bend_every) / pixels; }
    static constexpr int bend_every = pixels >= 12 ? 3 : 1,
                         first_bend = (pixels - 1) * ((bend_every + 1) / 2) % bend_every;
    static constexpr AlongPhase along_phase = Along;
    static constexpr CellBends cell_bends = Bends;
    static constexpr int warp_along = 32 / warp_across, warps_across = across / warp_across;
    static_assert(warps_across * (apart / warp_along) == warps);
};
/// For images whose lines of pixels follow range: lanes of a warp lie across, where they share cells.
template <int CellChunks>
using RangeTiling = TilingOf<16, 256, 12, 32, CellChunks, 2, 2, AlongPhase::in_cells>;
/// Likewise, where many cells lie between pixels, or a thread needs more registers.
template <int CellChunks, AlongPhase Along>
using NarrowTiling = TilingOf<8, 128, 12, 32, CellChunks, 3, 2, Along>;
/// Likewise, near the antenna.
template <int CellChunks>
using NearTiling = TilingOf<8, 128, 16, 32, CellChunks, 3, 1, AlongPhase::curved>;
/// Likewise, where phase goes its own way along them: as on grids that lie at some degrees to range, and sheared tiles.
template <int CellChunks>
using LongTiling = TilingOf<8, 128, 16, 32, CellChunks, 3, 2, AlongPhase::stepped>;
template <int CellChunks>
using WideTiling = TilingOf<8, 64, 16, 32, CellChunks, 3, 2, AlongPhase::stepped>;
/// For images at any angle to range.
template <int CellChunks, int UnrolledLines = 2>
using SlantedTiling = TilingOf<8, 64, 16, 8, CellChunks, 3, UnrolledLines, AlongPhase::stepped>;
template <int CellChunks, AlongPhase Along = AlongPhase::stepped>
using SmallTiling = TilingOf<8, 64, 8, 8, CellChunks, 4, 1, Along>;
/// Where many cells lie between pixels, as on maps: long tables, in blocks of few threads.
template <int CellChunks, CellBends Bends = CellBends::along>
using MapTiling = TilingOf<4, 64, 16, 16, CellChunks, CellChunks <= 13 ? 4 : 2, 1, AlongPhase::stepped, Bends>;
/// Likewise over hills.
template <int CellChunks>
using HillTiling = MapTiling<CellChunks, CellBends::apart>;
/// Likewise at any angle, near the antenna.
template <int CellChunks>
using CurvedTiling = TilingOf<8, 64, 16, 8, CellChunks, 3, 1, AlongPhase::curved>;

}  // namespace cornerturn
