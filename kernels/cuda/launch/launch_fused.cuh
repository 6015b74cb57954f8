// SPDX-License-Identifier: Apache-2.0
// The one way to run a fused kernel: a struct with its blocks, threads, shared memory and a body run(block).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "kernels/cuda/launch/cuda_block.cuh"
#include "kernels/cuda/launch/kernel_grid.h"
#include "kernels/cuda/launch/launch.cuh"
#include "kernels/cuda/runtime/check.h"
#include "kernels/cuda/runtime/stream.h"

namespace cornerturn {

template <class Kernel>
__global__ void __launch_bounds__(Kernel::Shape::threads, Kernel::Shape::blocks_per_processor)
    fused_kernel(const __grid_constant__ Kernel kernel) {
    kernel.run(CudaBlock{});
}

/// Asks for the shared memory that the blocks of a kernel want; the same for every plan that launches it.
template <class Kernel>
void reserve_shared_memory() {
    check(cudaFuncSetAttribute(fused_kernel<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes_of<Kernel>)),
          "reserve shared memory");
}

template <class Kernel>
void launch_fused(const Kernel& kernel, const Stream& stream, std::string_view doing,
                  std::source_location place = std::source_location::current()) {
    const std::int64_t blocks = kernel.blocks(), rows = block_rows_of(kernel);
    if (blocks == 0 || rows == 0) return;
    if (rows > most_blocks_y) throw std::logic_error("more rows of blocks than a grid holds");
    fused_kernel<<<dim3(grid_of(blocks, doing), static_cast<unsigned>(rows)), Kernel::Shape::threads,
                   static_cast<std::size_t>(shared_bytes_of<Kernel>), stream.get()>>>(kernel);
    check_launch(doing, place);
}

}  // namespace cornerturn
