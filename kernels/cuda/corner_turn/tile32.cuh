// SPDX-License-Identifier: Apache-2.0
// Step 2, tile32: the same with tiles of 32 x 32.
//
// A warp is 32 threads: now it reads and writes one row of a tile, 256 bytes of complex samples, in one piece, where a
// 16-wide tile gave it two short ones. But all threads of a warp now hit the same bank of shared memory when they read
// down a column of the tile, one after the other; and 1024 threads wait for each other at the barrier with a single
// element each on its way.
#pragma once

#include "kernels/cuda/corner_turn/patent16.cuh"

namespace cornerturn {

template <class T>
using Tile32Turn = SquareTileTurn<T, 32>;

}  // namespace cornerturn
