// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/check.h"
#include "kernels/cuda/matrix_product.h"

namespace cornerturn {
namespace {

constexpr int tile = 64;   // rows and columns of c that a block computes
constexpr int depth = 16;  // of the slices of a and b that lie in shared memory
constexpr int side = 16;   // the block is side x side threads
constexpr int per_thread = tile / side;

/// Copies a rows x columns piece of a packed matrix, zeros beyond its edges.
template <int Rows, int Columns>
__device__ void load_piece(Complex64 (&piece)[Rows][Columns + 1], const Complex64* matrix, std::int64_t first_row,
                           std::int64_t first_column, std::int64_t rows, std::int64_t columns) {
    for (int i = threadIdx.x; i < Rows * Columns; i += side * side) {
        const int r = i / Columns, c = i % Columns;
        const bool inside = first_row + r < rows && first_column + c < columns;
        piece[r][c] = inside ? matrix[(first_row + r) * columns + first_column + c] : Complex64{0, 0};
    }
}

/// Each thread keeps per_thread x per_thread sums, `side` apart so that neighbours read neighbouring words.
__global__ void __launch_bounds__(side* side)
    product_kernel(const Complex64* __restrict__ a, const Complex64* __restrict__ b, Complex64* __restrict__ c, const std::int64_t m,
                   const std::int64_t k, const std::int64_t n) {
    __shared__ Complex64 of_a[tile][depth + 1], of_b[depth][tile + 1];
    const std::int64_t tile_columns = (n + tile - 1) / tile;
    const std::int64_t first_row = blockIdx.x / tile_columns * tile, first_column = blockIdx.x % tile_columns * tile;
    const int row = threadIdx.x / side, column = threadIdx.x % side;
    Complex64 sum[per_thread][per_thread] = {};
    for (std::int64_t slice = 0; slice < k; slice += depth) {
        load_piece<tile, depth>(of_a, a, first_row, slice, m, k);
        load_piece<depth, tile>(of_b, b, slice, first_column, k, n);
        __syncthreads();
#pragma unroll
        for (int inner = 0; inner < depth; ++inner)
#pragma unroll
            for (int i = 0; i < per_thread; ++i)
#pragma unroll
                for (int j = 0; j < per_thread; ++j) sum[i][j] = sum[i][j] + of_a[row + i * side][inner] * of_b[inner][column + j * side];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < per_thread; ++i)
#pragma unroll
        for (int j = 0; j < per_thread; ++j) {
            const std::int64_t r = first_row + row + i * side, s = first_column + column + j * side;
            if (r < m && s < n) c[r * n + s] = sum[i][j];
        }
}

}  // namespace

void matrix_product_on_gpu(const Complex64* a, const Complex64* b, Complex64* c, std::int64_t m, std::int64_t k, std::int64_t n,
                           const Stream& stream) {
    if (m == 0 || n == 0) return;
    const std::int64_t tiles = (m + tile - 1) / tile * ((n + tile - 1) / tile);
    product_kernel<<<static_cast<unsigned>(tiles), side * side, 0, stream.get()>>>(a, b, c, m, k, n);
    check_launch("matrix product");
}

}  // namespace cornerturn
