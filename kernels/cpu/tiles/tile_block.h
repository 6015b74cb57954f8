// SPDX-License-Identifier: Apache-2.0
// Input and output of the vector code for a tile: the layout of its pixels in vectors, the lines, and the memory of
// the sums of a block of lines.
#pragma once

#include <cstdint>

#include "kernels/math/complex.h"

namespace cornerturn {

inline constexpr int vectors_at_a_time = 8;  ///< one above the other: their sums stay in registers
inline constexpr int lines_of_stage = 16;

/// How the pixels of a tile lie in vectors: a vector is a patch of patch_across x patch_along pixels;
/// `vectors_at_a_time` patches follow each other along, then across, then again along.
struct TileLayout {
    int lanes = 0, patch_across = 0, patch_along = 0;
    int strips = 0;  ///< patches across
    int groups = 0;  ///< of patches along

    int pixels() const { return strips * groups * vectors_at_a_time * lanes; }
    int across() const { return strips * patch_across; }
    int along() const { return groups * vectors_at_a_time * patch_along; }
    int first_of(int group, int strip, int vector = 0) const {
        return ((group * strips + strip) * vectors_at_a_time + vector) * lanes;
    }
    int x(int strip, int lane) const { return strip * patch_across + lane % patch_across - across() / 2; }
    int y(int group, int vector, int lane) const {
        return (group * vectors_at_a_time + vector) * patch_along + lane / patch_across - along() / 2;
    }
    /// Of a pixel by its number.
    int x_of(int pixel) const { return x(pixel / (lanes * vectors_at_a_time) % strips, pixel % lanes); }
    int y_of(int pixel) const {
        return y(pixel / (lanes * vectors_at_a_time * strips), pixel / lanes % vectors_at_a_time, pixel % lanes);
    }
};

/// How far apart the cells of a vector's pixels may lie.
enum class Reach : std::uint8_t {
    near,   ///< in a window of as many cells as there are lanes
    wide,   ///< in one of twice as many
    broad,  ///< in one of four times as many
    far
};

/// What a line weighs over a tile.
enum class LineWeight : std::uint8_t {
    nothing,
    level,  ///< the same everywhere
    grows,  ///< a geometric series along the tile
    each    ///< looked up for each pixel
};

/// Index into the Doppler window over pixels from the tile's centre.
struct WindowIndex {
    float value, x, y, xx, xy, yy, xxy, xyy, xxyy;
};

/// A line as the pixels of a tile see it, over pixels from its centre.
struct LineStep {
    float cell, cell_x, cell_y, cell_xx, cell_xy;  ///< from the table's middle, less 1/2
    float bends;                                   ///< as many times as at the block's middle
    float cycles, cycles_per_cell,
        cycles_per_cell2;                            ///< that the table is turned by, over cells from the tile's centre
    float cycles_x, cycles_y, cycles_xx, cycles_xy;  ///< what is left
    float cycles_yy, cycles_xxy, cycles_xyy, cycles_xxyy;
    WindowIndex weight;
    LineWeight weighing;  ///< nothing or level, where that is so all over the tile
    float level_weight;
    std::int64_t middle_cell;  ///< of the line, in the middle of its table
};

/// What the sums of a block of lines read and write.
struct TileBlock {
    TileLayout layout;
    const float *y, *bent;  ///< of each pixel: its place along; that, bent, or, where cells bend apart, cells
    const float *y_least, *y_most, *bent_least, *bent_most;  ///< of each vector
    const Reach* reach;                                      ///< [group][strip]
    float *re, *im;
    const LineStep* lines;
    int count;
    int lines_behind;             ///< of the tile's lines, after the block
    const Complex64* compressed;  ///< the block's first line
    std::int64_t cells;
    int entries;  ///< of a table, a multiple of the lanes
    /// Straight between its entries, zero outside 0 to last; twice the lanes' entries more at the end. nullptr: 1.
    const float* window;
    float window_last;
    float largest_weight_bend;  ///< twice what its middle may be off the mean of both ends
    /// Scratch: `entries` + 2 lanes; entries + 4 lanes complex slopes and values a line of a stage; eight floats for a
    /// pixel across and line.
    float *turned_re, *turned_im, *table, *phasors;
    LineWeight* weighing;  ///< of a strip and line of a stage
};

}  // namespace cornerturn
