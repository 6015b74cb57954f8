// SPDX-License-Identifier: Apache-2.0
// What is done to the pixels of a tile from one block of lines to the next: sums are turned into the frame of the new
// block, and pixels are given what its frame bends them by.
#pragma once

#include "kernels/cpu/tiles/pixel_loops.h"

namespace cornerturn {

/// Cycles of which the rounding to single precision is not above the error of a phasor.
inline constexpr double most_cycles_in_floats = 1;

struct FrameStep {
    TilePolynomial turn;  ///< cycles by which sums are turned, at most `most_cycles_in_floats`; zero: not at all
    TilePolynomial bend;  ///< pixels along the tile, or cells
    CellBends bends;
    float *re, *im;
    float* bent;          ///< of each pixel: the bend, of its own place if that is along the tile
    float *least, *most;  ///< of each vector of those
};

/// By how many pixels along a tile, or cells, its frame bends them: all of it that is not linear along the block's
/// middle line.
TilePolynomial bend_of(TilePolynomial frame, CellBends bends, const TileLine& middle, double cells_per_cycle);

/// Of what all pixels are bent to.
struct BentExtremes {
    float least, most;
};
using StepFrame = BentExtremes (*)(const TilePixels& pixels, const TileLayout& layout, const FrameStep& step);
/// The function for vectors of 4, 8 or 16 lanes.
StepFrame frame_stepper(int lanes);

}  // namespace cornerturn
