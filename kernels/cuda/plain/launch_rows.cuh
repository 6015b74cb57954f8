// SPDX-License-Identifier: Apache-2.0
// The way to run the sweeps of rows.cuh on the GPU.
#pragma once

#include <string_view>

#include "kernels/cuda/launch/cuda_block.cuh"
#include "kernels/cuda/launch/launch.cuh"
#include "kernels/cuda/plain/rows.cuh"
#include "kernels/cuda/runtime/check.h"
#include "kernels/cuda/runtime/stream.h"

namespace cornerturn {

/// What a sweep sees of the GPU.
struct SweepBlock : CudaBlock {
    using CudaBlock::put;
    /// Two neighbours at once; `to` is aligned as both together.
    __device__ void put(Complex64* to, Complex64 first, Complex64 second) const {
        asm volatile("st.global.cg.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(first.re), "f"(first.im),
                     "f"(second.re), "f"(second.im));
    }
};

template <class Body>
__global__ void __launch_bounds__(Body::threads) rows_kernel(const __grid_constant__ Body body) {
    body.run(SweepBlock{});
}

/// A struct with threads, blocks() and a body run(block).
template <class Body>
void launch_rows(const Body& body, const Stream& stream, std::string_view doing,
                 std::source_location place = std::source_location::current()) {
    const std::int64_t blocks = body.blocks();
    if (blocks == 0) return;
    rows_kernel<<<grid_of(blocks, doing), Body::threads, 0, stream.get()>>>(body);
    check_launch(doing, place);
}

/// Every element of rows x columns, by an operation as those of rows.cuh.
template <class Op>
void sweep_rows(const Op& op, std::int64_t rows, std::int64_t columns, const Stream& stream, std::string_view doing,
                std::source_location place = std::source_location::current()) {
    launch_rows(RowSweep<Op>{op, rows, columns}, stream, doing, place);
}

}  // namespace cornerturn
