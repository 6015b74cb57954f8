// SPDX-License-Identifier: Apache-2.0
// What is done to the pixels of a tile from one block of lines to the next: sums are turned into the frame of the new
// block, and pixels are given the places along the tile that its frame bends them to.
#pragma once

#include "kernels/cpu/tiles/pixel_loops.h"

namespace cornerturn {

/// Cycles of which the rounding to single precision is not above the error of a phasor.
inline constexpr double most_cycles_in_floats = 1;

struct FrameStep {
    TilePolynomial turn;  ///< cycles by which sums are turned, at most `most_cycles_in_floats`; zero: not at all
    TilePolynomial bend;  ///< pixels along the tile
    float *re, *im;
    float* along;         ///< of each pixel: its own place and the bend
    float *least, *most;  ///< of each vector of those
};

/// By how many pixels along a tile its frame bends them: all of it that is not linear along the block's middle line.
TilePolynomial bend_of(TilePolynomial frame, const TileLine& middle, double cells_per_cycle);

/// Of all pixels' places along the tile.
struct AlongExtremes {
    float least, most;
};
using StepFrame = AlongExtremes (*)(const TilePixels& pixels, const TileLayout& layout, const FrameStep& step);
/// The function for vectors of 4, 8 or 16 lanes.
StepFrame frame_stepper(int lanes);

}  // namespace cornerturn
