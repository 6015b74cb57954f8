// SPDX-License-Identifier: Apache-2.0
// The one way to run a fused kernel: a struct with its blocks, threads, shared memory and a body run(block).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "kernels/complex.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/cuda_block.cuh"
#include "kernels/cuda/fused/kernel_grid.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/stream.h"

namespace cornerturn {

template <class Kernel>
__global__ void __launch_bounds__(Kernel::Shape::threads, Kernel::Shape::blocks_per_processor)
    fused_kernel(const __grid_constant__ Kernel kernel) {
    kernel.run(CudaBlock{});
}

template <class Kernel>
inline constexpr int shared_bytes_of = static_cast<int>(sizeof(Complex64)) * Kernel::Shape::slots;

/// Whether this GPU's blocks may have the shared memory that a kernel wants; asks for it.
template <class Kernel>
bool reserve_shared_memory(int gpu) {
    int limit = 0;
    check(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu),
          "ask for the shared memory of a block");
    const int wanted = shared_bytes_of<Kernel>;
    if (wanted > limit) return false;
    check(cudaFuncSetAttribute(fused_kernel<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize, wanted),
          "reserve shared memory");
    return true;
}

template <class Kernel>
void launch_fused(const Kernel& kernel, const Stream& stream, std::string_view doing,
                  std::source_location place = std::source_location::current()) {
    const std::int64_t blocks = kernel.blocks(), rows = block_rows_of(kernel);
    if (blocks == 0 || rows == 0) return;
    if (rows > most_blocks_y) throw std::logic_error("more rows of blocks than a grid holds");
    fused_kernel<<<dim3(grid_of(blocks, doing), static_cast<unsigned>(rows)), Kernel::Shape::threads,
                   shared_bytes_of<Kernel>, stream.get()>>>(kernel);
    check_launch(doing, place);
}

}  // namespace cornerturn
