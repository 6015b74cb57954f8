// SPDX-License-Identifier: Apache-2.0
// Copies of blocks of columns between GPUs, or within one.
#pragma once

#include "kernels/cuda/launch/launch.cuh"
#include "kernels/cuda/runtime/check.h"
#include "kernels/device/exchange.h"
#include "kernels/math/complex.h"

namespace cornerturn {

struct CopyColumns {
    const Complex64* from;
    std::int64_t in_pitch;
    Complex64* to;
    std::int64_t out_pitch;

    __device__ void operator()(std::int64_t row, std::int64_t column) const {
        to[row * out_pitch + column] = from[row * in_pitch + column];
    }
};

template <class Sample>
struct PitchedRows {
    Sample* first;
    std::int64_t pitch;
};
inline void copy_rows(PitchedRows<const Complex64> from, PitchedRows<Complex64> to, std::int64_t rows,
                      std::int64_t columns, const Stream& stream) {
    if (rows == 0 || columns == 0) return;
    constexpr std::size_t sample = sizeof(Complex64);
    check(cudaMemcpy2DAsync(to.first, static_cast<std::size_t>(to.pitch) * sample, from.first,
                            static_cast<std::size_t>(from.pitch) * sample, static_cast<std::size_t>(columns) * sample,
                            static_cast<std::size_t>(rows), cudaMemcpyDefault, stream.get()),
          "copy between GPUs");
}

inline std::size_t samples_of(const SentBlock& block) {
    return static_cast<std::size_t>(block.rows.rows * block.out.columns);
}
inline void copy_columns(const CopyColumns& copy, const SentBlock& block, const Stream& stream) {
    for_each(copy, block.rows.rows, block.out.columns, stream, "copy of a part of a frame");
}
inline const Complex64* cells_of(const SentBlock& block) { return block.rows.data<Complex64>() + block.columns.first; }
inline Complex64* place_of(const SentBlock& block) {
    return block.out.data<Complex64>() + block.first_row * block.out.columns;
}
inline void copy_here(const SentBlock& block, const Stream& stream) {
    copy_columns({cells_of(block), block.rows.columns, place_of(block), block.out.columns}, block, stream);
}

/// The driver finds a way of its own between GPUs that do not reach each other's memory.
inline void copy_through_host(const SentBlock& block, int from_gpu, int to_gpu, const Stream& stream) {
    constexpr std::size_t sample = sizeof(Complex64);
    const auto pitched = [](const Matrix& matrix) {
        return make_cudaPitchedPtr(matrix.storage.get(), static_cast<std::size_t>(matrix.columns) * sample,
                                   static_cast<std::size_t>(matrix.columns), static_cast<std::size_t>(matrix.rows));
    };
    cudaMemcpy3DPeerParms copy{};
    copy.srcDevice = from_gpu;
    copy.srcPtr = pitched(block.rows);
    copy.srcPos = make_cudaPos(static_cast<std::size_t>(block.columns.first) * sample, 0, 0);
    copy.dstDevice = to_gpu;
    copy.dstPtr = pitched(block.out);
    copy.dstPos = make_cudaPos(0, static_cast<std::size_t>(block.first_row), 0);
    copy.extent = make_cudaExtent(static_cast<std::size_t>(block.out.columns) * sample,
                                  static_cast<std::size_t>(block.rows.rows), 1);
    if (block.rows.rows > 0 && block.out.columns > 0)
        check(cudaMemcpy3DPeerAsync(&copy, stream.get()), "copy between GPUs");
}

}  // namespace cornerturn
