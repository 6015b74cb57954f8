// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <stdexcept>
#include <string>

#include <algorithm>
#include "kernels/cuda/corner_turn/coarsened.cuh"
#include "kernels/cuda/corner_turn/corner_turn.h"
#include "kernels/cuda/corner_turn/inplace.cuh"
#include "kernels/cuda/corner_turn/naive.cuh"
#include "kernels/cuda/corner_turn/padded.cuh"
#include "kernels/cuda/corner_turn/patent16.cuh"
#include "kernels/cuda/corner_turn/production.cuh"
#include "kernels/cuda/corner_turn/rectangular.cuh"
#include "kernels/cuda/corner_turn/tile32.cuh"
#include "kernels/cuda/corner_turn/vectorized.cuh"

#include "kernels/cuda/launch/cuda_block.cuh"
#include "kernels/cuda/launch/launch.cuh"
#include "kernels/cuda/runtime/check.h"
#include "kernels/cuda/runtime/memory.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

template <class Turn, class T>
__global__ void __launch_bounds__(Turn::block_width* Turn::block_height)
    turn_kernel(const Turn turn, const T* __restrict__ in, T* __restrict__ out, const MatrixShape shape) {
    turn.run(CudaBlock{}, in, out, shape);
}

template <class Turn, class T>
__global__ void __launch_bounds__(Turn::block_width* Turn::block_height)
    inplace_kernel(const Turn turn, T* data, const MatrixShape shape) {
    turn.run(CudaBlock{}, data, data, shape);
}

template <class Turn>
unsigned grid(MatrixShape shape) {
    const std::int64_t blocks = Turn::blocks(shape);
    if (blocks > INT_MAX)
        throw InputError("corner turn of " + std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + ": " +
                         std::to_string(blocks) + " blocks are needed, a grid holds " + std::to_string(INT_MAX) +
                         "; choose another variant or a smaller matrix");
    return static_cast<unsigned>(blocks);
}

template <class Turn>
dim3 threads() {
    return {Turn::block_width, Turn::block_height};
}

template <class T>
void launch(CornerTurnVariant variant, const T* in, T* out, MatrixShape shape, const Stream& stream) {
    const auto go = [&](auto turn) {
        using Turn = decltype(turn);
        turn_kernel<<<grid<Turn>(shape), threads<Turn>(), 0, stream.get()>>>(turn, in, out, shape);
    };
    switch (variant) {
        case CornerTurnVariant::naive: return go(NaiveTurn<T>{});
        case CornerTurnVariant::patent16: return go(Patent16Turn<T>{});
        case CornerTurnVariant::tile32: return go(Tile32Turn<T>{});
        case CornerTurnVariant::rectangular: return go(RectangularTurn<T, 8, 32>{});
        case CornerTurnVariant::rectangular1x2: return go(RectangularTurn<T, 1, 2>{});
        case CornerTurnVariant::padded: return go(PaddedTurn<T>{});
        case CornerTurnVariant::coarsened: return go(CoarsenedTurn<T>{});
        case CornerTurnVariant::vectorized: return go(VectorizedTurn<T>{});
        case CornerTurnVariant::production: return with_production_turn<T>(shape, go);
        case CornerTurnVariant::inplace: {
            using Turn = InplaceTurn<T>;
            inplace_kernel<<<grid<Turn>(shape), threads<Turn>(), 0, stream.get()>>>(Turn{}, out, shape);
            return;
        }
        case CornerTurnVariant::cublas: break;
    }
    throw std::logic_error("corner turn " + std::string(name_of(variant)) + " has no kernel");
}

struct alignas(16) SixteenBytes {
    float part[4];
};

/// Four pieces on their way per thread, neighbours side by side.
constexpr int pieces_per_thread = 4;
__global__ void __launch_bounds__(threads_per_block)
    copy_kernel(const SixteenBytes* __restrict__ from, SixteenBytes* __restrict__ to, const std::int64_t pieces) {
    const std::int64_t first =
        static_cast<std::int64_t>(blockIdx.x) * (threads_per_block * pieces_per_thread) + threadIdx.x;
    SixteenBytes piece[pieces_per_thread];
#pragma unroll
    for (int i = 0; i < pieces_per_thread; ++i)
        if (first + i * threads_per_block < pieces) piece[i] = from[first + i * threads_per_block];
#pragma unroll
    for (int i = 0; i < pieces_per_thread; ++i)
        if (first + i * threads_per_block < pieces) to[first + i * threads_per_block] = piece[i];
}

template <class Word>
struct CountDifference {
    const Word* expected;
    const Word* got;
    MatrixShape shape;
    bool turned;
    unsigned long long* count;

    __device__ void operator()(std::int64_t row, std::int64_t column) const {
        const Word other = turned ? got[column * shape.rows + row] : got[row * shape.columns + column];
        if (expected[row * shape.pitch + column] != other) atomicAdd(count, 1ULL);
    }
};

}  // namespace

template <class T>
void corner_turn_on_gpu(CornerTurnVariant variant, const T* in, T* out, MatrixShape shape, const Stream& stream,
                        Cublas& cublas) {
    if (shape.rows == 0 || shape.columns == 0) return;
    if (variant == CornerTurnVariant::cublas) return cublas.corner_turn(in, out, shape, stream);
    launch(variant, in, out, shape, stream);
    check_launch("corner turn");
}
template void corner_turn_on_gpu(CornerTurnVariant, const Complex64*, Complex64*, MatrixShape, const Stream&, Cublas&);
template void corner_turn_on_gpu(CornerTurnVariant, const float*, float*, MatrixShape, const Stream&, Cublas&);

void copy_by_kernel(const void* from, void* to, std::size_t bytes, const Stream& stream) {
    const std::size_t pieces = bytes / sizeof(SixteenBytes), copied = pieces * sizeof(SixteenBytes);
    constexpr std::size_t per_block = threads_per_block * pieces_per_thread;
    if (pieces > 0) {
        copy_kernel<<<static_cast<unsigned>((pieces + per_block - 1) / per_block), threads_per_block, 0,
                      stream.get()>>>(static_cast<const SixteenBytes*>(from), static_cast<SixteenBytes*>(to),
                                      static_cast<std::int64_t>(pieces));
        check_launch("copy");
    }
    if (copied < bytes)
        check(cudaMemcpyAsync(static_cast<std::byte*>(to) + copied, static_cast<const std::byte*>(from) + copied,
                              bytes - copied, cudaMemcpyDeviceToDevice, stream.get()),
              "copy the last bytes");
}

template <class Word>
std::int64_t count_differences_on_gpu(const Word* expected, const Word* got, MatrixShape shape, bool turned,
                                      const Stream& stream) {
    const DeviceBuffer count(sizeof(unsigned long long), "count of differences");
    check(cudaMemsetAsync(count.data<void>(), 0, count.bytes(), stream.get()), "clear the count of differences");
    for_each(CountDifference<Word>{expected, got, shape, turned, count.data<unsigned long long>()}, shape.rows,
             shape.columns, stream, "count differences");
    unsigned long long differences = 0;
    check(cudaMemcpyAsync(&differences, count.data<void>(), sizeof differences, cudaMemcpyDeviceToHost, stream.get()),
          "fetch the count of differences");
    stream.synchronize();
    return static_cast<std::int64_t>(differences);
}
template std::int64_t count_differences_on_gpu(const std::uint32_t*, const std::uint32_t*, MatrixShape, bool,
                                               const Stream&);
template std::int64_t count_differences_on_gpu(const std::uint64_t*, const std::uint64_t*, MatrixShape, bool,
                                               const Stream&);

void require_code_for_this_gpu() {
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, copy_kernel),
          "look for code built for this GPU (CMAKE_CUDA_ARCHITECTURES)");
}

int oldest_architecture() { return std::min({__CUDA_ARCH_LIST__}); }

}  // namespace cornerturn
