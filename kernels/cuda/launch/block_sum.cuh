// SPDX-License-Identifier: Apache-2.0
// Sum over the threads of a block.
#pragma once

namespace cornerturn {

/// Adds up `Fields` values of every thread; the sums are valid in thread 0. The order of additions is fixed, so that
/// equal input gives equal results. All threads of the block must call it; the block has a multiple of 32 threads.
template <int Fields, class Value>
__device__ void block_sum(Value (&value)[Fields]) {
    __shared__ Value of_warp[32][Fields];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int field = 0; field < Fields; ++field)
        for (unsigned step = 16; step > 0; step /= 2) value[field] += __shfl_down_sync(0xffffffffu, value[field], step);
    if (lane == 0)
        for (int field = 0; field < Fields; ++field) of_warp[warp][field] = value[field];
    __syncthreads();
    if (threadIdx.x == 0)
        for (int field = 0; field < Fields; ++field)
            for (unsigned other = 1; other < warps; ++other) value[field] += of_warp[other][field];
    __syncthreads();  // of_warp may be used again
}

}  // namespace cornerturn
