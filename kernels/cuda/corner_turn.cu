// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/cuda/check.h"
#include "kernels/cuda/corner_turn.h"

namespace cornerturn {
namespace {

constexpr int tile = 32;
constexpr int threads = 256;
constexpr int steps = tile * tile / threads;

/// Tiles are walked in narrow vertical strips, `strip` tiles wide, from top to bottom: the blocks that run together then write long
/// contiguous pieces of few output rows, which gives the last 3-6 % of the copy rate over row-by-row order.
struct TileOrder {
    std::int64_t tile_columns;
    std::int64_t tile_rows;
    std::int64_t strip;

    struct Tile {
        std::int64_t row, column;
    };
    __device__ Tile operator()(std::int64_t number) const {
        const std::int64_t tiles_per_strip = strip * tile_rows;
        const std::int64_t which = number / tiles_per_strip;
        const std::int64_t inside = number - which * tiles_per_strip;
        const std::int64_t width = min(strip, tile_columns - which * strip);  // the last strip may be narrower
        const std::int64_t row = inside / width;
        return {row, which * strip + inside - row * width};
    }
};

/// One tile: read along input rows, write along output rows; the padded column keeps shared-memory banks apart.
__global__ void __launch_bounds__(threads) corner_turn_kernel(const float2* __restrict__ in, float2* __restrict__ out,
                                                              const std::int64_t rows, const std::int64_t columns, const TileOrder order) {
    __shared__ float2 buffer[tile][tile + 1];
    const auto [tile_row, tile_column] = order(blockIdx.x);
    const std::int64_t first_row = tile_row * tile, first_column = tile_column * tile;
    const int along = threadIdx.x % tile, across = threadIdx.x / tile;
    const int height = static_cast<int>(min(rows - first_row, std::int64_t{tile})),
              width = static_cast<int>(min(columns - first_column, std::int64_t{tile}));
    const float2* from = in + first_row * columns + first_column + along;
    float2* to = out + first_column * rows + first_row + along;
    float2 value[steps];  // all reads are on their way before the first is waited for
#pragma unroll
    for (int step = 0; step < steps; ++step) {
        const int row = across + step * (threads / tile);
        value[step] = row < height && along < width ? from[row * columns] : float2{0, 0};
    }
#pragma unroll
    for (int step = 0; step < steps; ++step) buffer[across + step * (threads / tile)][along] = value[step];
    __syncthreads();
#pragma unroll
    for (int step = 0; step < steps; ++step) {
        const int column = across + step * (threads / tile);
        if (column < width && along < height) to[column * rows] = buffer[along][column];
    }
}

}  // namespace

void corner_turn_on_gpu(const Complex64* in, Complex64* out, std::int64_t rows, std::int64_t columns, const Stream& stream) {
    if (rows == 0 || columns == 0) return;
    const std::int64_t tile_columns = (columns + tile - 1) / tile, tile_rows = (rows + tile - 1) / tile;
    // Wide strips read a little better, narrow ones write better; rows of 64 KiB and more want the narrowest.
    const std::int64_t strip = columns >= 8192 ? 1 : 4;
    corner_turn_kernel<<<static_cast<unsigned>(tile_columns * tile_rows), threads, 0, stream.get()>>>(
        reinterpret_cast<const float2*>(in), reinterpret_cast<float2*>(out), rows, columns, TileOrder{tile_columns, tile_rows, strip});
    check_launch("corner turn");
}

void require_code_for_this_gpu() {
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, corner_turn_kernel), "look for code built for this GPU (CMAKE_CUDA_ARCHITECTURES)");
}

}  // namespace cornerturn
