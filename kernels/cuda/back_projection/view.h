// SPDX-License-Identifier: Apache-2.0
// What kernels of back-projection read: the image, its tiles and lines in device memory, and lines in shared memory.
#pragma once

#include <cstdint>

#include "kernels/back_projection/accumulation_plan.h"
#include "kernels/back_projection/window_entries.h"
#include "kernels/math/complex.h"

namespace cornerturn {

struct alignas(16) Float4 {
    float x, y, z, w;
};

/// What all threads of a tile need of a line, in single precision.
template <AlongPhase Along, bool Weighted>
struct TileLineEntry;
struct TileLineBase {
    Float4 step;    ///< cell of the centre less 1/2, its change along x and y, phase along x
    Float4 turned;  ///< first cell in the table, phase of the table's origin, phase per cell and its square
};
struct TileLineBends : TileLineBase {
    Float4 bend;  ///< phase along y, per x^2 and x y; how many times cells bend
};
template <>
struct TileLineEntry<AlongPhase::in_cells, false> : TileLineBase {};
template <AlongPhase Along>
struct TileLineEntry<Along, false> : TileLineBends {};
template <AlongPhase Along>
struct TileLineEntry<Along, true> : TileLineBends {
    Float4 weight;
};
template <>
struct TileLineEntry<AlongPhase::curved, false> : TileLineBends {
    Float4 curve;  ///< phase per x y^2, x^2 y, x^2 y^2 and y^2
};
template <>
struct TileLineEntry<AlongPhase::curved, true> : TileLineBends {
    Float4 weight, curve;
};

/// A tile of an image, by number, and what it is summed of.
struct PlannedTile {
    int x, y;
    IndexRange lines;
    TileHeights heights;
};

/// What a kernel reads. Tables lie on the device.
struct AccumulationView {
    const Complex64* compressed;  ///< lines x cells
    Complex64* image;             ///< rows x columns
    std::int64_t lines, cells, rows, columns;
    CompressedTiming timing;
    const PulsePath* paths;
    PixelMeshView mesh;
    DopplerWindowView window;
    const float* relief_m;         ///< nullptr: none
    const Interval* covered_rows;  ///< nullptr: all
    TiledImage tiled;
    const PlannedTile* tiles;  ///< one for each block
    std::int64_t tile_count;
    TileScale scale{1, 1};  ///< of `tiled`
    int block_lines;
    int segment_lines;                  ///< whole blocks; over which pixels are followed. 0: frames are quadratic
    const WindowEntry* window_entries;  ///< with zeros at either end; nullptr: no window
    float straight_from_middle;  ///< so far from the window's middle weights are straight over the pixels of a thread
    float level_from_middle;     ///< and level
    double cells_per_cycle;      ///< of the carrier
};

}  // namespace cornerturn
