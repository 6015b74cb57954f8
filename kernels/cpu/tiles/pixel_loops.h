// SPDX-License-Identifier: Apache-2.0
// Loops over the pixels of a tile and over its nodes, between the sums of blocks of lines.
#pragma once

#include "kernels/back_projection/accumulation_plan.h"
#include "kernels/cpu/tiles/tile_block.h"
#include "kernels/cpu/tiles/tile_polynomial.h"

namespace cornerturn {

/// Where the pixels of a tile are, from its centre and the surface through its relief. Those outside the image are
/// where its nearest pixel is. A metre of height is a hundred cycles of a frame.
struct TilePixels {
    int count;
    const float *x, *y;
    const double* height_m;
};

/// Values of a polynomial at the pixels.
void evaluate(const TilePixels& pixels, const TileLayout& layout, const TilePolynomial& polynomial, double* values);
/// What a line adds at places.
void find_cycles(const CompressedTiming& timing, const PulsePath& path, std::int64_t count, const Place* places,
                 double* cycles);
/// Turns the sums by so many cycles.
void turn_sums(int count, const double* cycles, float* re, float* im);
void weigh_sums(int count, const double* weight, float* re, float* im);

}  // namespace cornerturn
