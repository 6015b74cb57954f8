// SPDX-License-Identifier: Apache-2.0
// What a kernel body sees of the GPU; tests/kernels/emulator.h offers the same on the CPU.
#pragma once

namespace cornerturn {

struct CudaBlock {
    struct Place {
        int x, y;
    };
    __device__ Place thread() const { return {static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y)}; }
    __device__ unsigned number() const { return blockIdx.x; }
    __device__ void sync() const { __syncthreads(); }
    /// The block's one S in shared memory, uninitialised: asking again for the same type gives the same memory.
    template <class S>
    __device__ S& shared() const {
        __shared__ S memory;
        return memory;
    }
};

}  // namespace cornerturn
