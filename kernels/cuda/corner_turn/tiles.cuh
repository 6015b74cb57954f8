// SPDX-License-Identifier: Apache-2.0
// Which tile of the matrix a block turns: the numbering of tiles that all steps share.
//
// Every step of the ladder is a struct with the size of its thread block, the number of blocks a matrix takes, and a
// body run(block, in, out, shape). The body sees the machine only through `block`: thread() is the thread's place in
// the block, number() the block's, shared<S>() the block's shared memory, sync() its barrier.
// kernels/cuda/launch/cuda_block.cuh gives it a GPU's, tests/kernels/emulator.h those of fibres on the CPU, so that the
// same bodies are tested where there is no GPU.
#pragma once

#include <cstdint>

#include "kernels/cuda/runtime/matrix_shape.h"
#include "kernels/math/host_device.h"

namespace cornerturn {

/// First row and column of a tile in the matrix that is read.
struct TileOrigin {
    std::int64_t row;
    std::int64_t column;
};

/// Tiles of Height x Width elements that cover a matrix. Fewer than 2^31: 32-bit divisions are the cheaper ones.
template <int Height, int Width>
struct Tiles {
    unsigned rows;
    unsigned columns;

    CT_HOST_DEVICE explicit Tiles(MatrixShape shape)
        : rows(static_cast<unsigned>((shape.rows + Height - 1) / Height)),
          columns(static_cast<unsigned>((shape.columns + Width - 1) / Width)) {}

    CT_HOST_DEVICE TileOrigin origin(unsigned row, unsigned column) const {
        return {static_cast<std::int64_t>(row) * Height, static_cast<std::int64_t>(column) * Width};
    }
    static std::int64_t count(MatrixShape shape) {
        return (shape.rows + Height - 1) / Height * ((shape.columns + Width - 1) / Width);
    }
};

/// From left to right, row of tiles by row of tiles: the order of a plain two-dimensional grid.
struct RowByRow {
    template <int Height, int Width>
    CT_HOST_DEVICE TileOrigin tile(Tiles<Height, Width> tiles, unsigned number) const {
        const unsigned row = number / tiles.columns;
        return tiles.origin(row, number - row * tiles.columns);
    }
};

}  // namespace cornerturn
