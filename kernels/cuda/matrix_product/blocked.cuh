// SPDX-License-Identifier: Apache-2.0
// Step 3, blocked: a rectangle of elements per thread, in registers.
//
// A thread that sums RowsPer x ColumnsPer elements needs RowsPer + ColumnsPer elements of the tiles for RowsPer *
// ColumnsPer multiply-adds: with 8 x 8 the units that multiply set the pace, not those that load. It reads them from
// shared memory 16 bytes at a time, in pieces that lie thread_rows (thread_columns) pieces apart, so that the threads
// of a warp, 4 x 8 of them, read neighbouring pieces. While a slice of the tiles is multiplied the next one is on its
// way from memory into registers, and then into the other of two buffers: one barrier for each slice. Where the product
// has too few tiles to keep the machine busy, several groups of threads share a tile, each multiplying its part of
// every slice; at the end their sums are added, always in the same order.
#pragma once

#include "kernels/cuda/corner_turn/production.cuh"
#include "kernels/cuda/launch/unrolled.h"
#include "kernels/cuda/matrix_product/product.cuh"

namespace cornerturn {

template <class T, int Rows, int Columns, int Depth, int RowsPer, int ColumnsPer, int Groups, int Resident>
struct BlockedProduct {
    static constexpr int piece = 16 / static_cast<int>(sizeof(T));
    static constexpr int thread_rows = Rows / RowsPer, thread_columns = Columns / ColumnsPer;
    static constexpr int group_threads = thread_rows * thread_columns, threads = Groups * group_threads;
    static constexpr int block_height = 1, block_width = threads;
    static constexpr int resident =
        Resident;  ///< blocks that a multiprocessor shall hold at a time: limits the registers of each
    static constexpr int rows = Rows, columns = Columns;
    using Grid = Tiles<Rows, Columns>;

    struct alignas(16) SixteenBytes {
        T part[piece];
    };
    struct Shared {
        alignas(16) T a[2][Depth][Rows + piece];  ///< [buffer][inner][row]: turned
        alignas(16) T b[2][Depth][Columns];       ///< [buffer][inner][column]
        alignas(16) T sums[Groups > 1 ? Rows : 1][Columns];
    };

    static std::int64_t blocks(const ProductShape& shape) { return Grid::count(shape_of_c(shape)); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block, const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                            const ProductShape& shape) const {
        auto& shared = block.template shared<Shared>();
        const TileOrigin origin = StripByStrip{strip}.tile(Grid(shape_of_c(shape)), block.number());
        const int thread = block.thread().x, group = thread / group_threads;
        const Place place = place_of(thread % group_threads);
        T sum[RowsPer][ColumnsPer] = {};
        Slice slice(a, b, shape, origin, thread);
        slice.fetch(0);
        slice.store(shared, 0);
        block.sync();
        int buffer = 0;
        for (std::int64_t inner = 0; inner < shape.k; inner += Depth) {
            const bool more = inner + Depth < shape.k;
            if (more) slice.fetch(inner + Depth);
            multiply(shared, buffer, group * (Depth / Groups), place, sum);
            buffer ^= 1;
            if (more) slice.store(shared, buffer);
            block.sync();
        }
        if (Groups > 1) add_groups(block, shared, group, place, sum);
        if (group == 0) write(c, shape, origin, place, sum);
    }

private:
    static constexpr unsigned strip = 8;  // tile columns whose part of b stays in the L2 cache
    static constexpr int a_steps = Rows * Depth / threads, b_steps = Columns * Depth / threads;
    static_assert(RowsPer % piece == 0 && ColumnsPer % piece == 0, "a thread reads whole pieces");
    static_assert(thread_rows % 4 == 0 && thread_columns % 8 == 0, "a warp is 4 x 8 threads");
    static_assert(Depth % Groups == 0, "each group takes its part of a slice");
    static_assert(threads % Depth == 0 && threads % Columns == 0, "a thread keeps to one column of its factors");
    static_assert(a_steps * threads == Rows * Depth && b_steps * threads == Columns * Depth,
                  "threads share the fetching evenly");

    /// Of a thread among those of its group.
    struct Place {
        int row, column;
    };
    CT_HOST_DEVICE static Place place_of(int number) {
        const int warp = number / 32, lane = number % 32;
        constexpr int warps_across = thread_columns / 8;
        return {warp / warps_across * 4 + lane / 8, warp % warps_across * 8 + lane % 8};
    }

    /// A thread's share of a slice of both tiles, on its way through registers.
    struct Slice {
        const T *a, *b;                              // the thread's first elements
        std::int64_t k, n, rows_left, columns_left;  // rows of a from the thread's first on, columns of b likewise
        int a_row, a_inner, b_inner, b_column;
        T of_a[a_steps], of_b[b_steps];

        CT_HOST_DEVICE Slice(const T* a_matrix, const T* b_matrix, const ProductShape& shape, TileOrigin origin,
                             int thread)
            : k(shape.k),
              n(shape.n),
              a_row(thread / Depth),
              a_inner(thread % Depth),
              b_inner(thread / Columns),
              b_column(thread % Columns) {
            rows_left = shape.m - origin.row - a_row;
            columns_left = n - origin.column - b_column;
            a = a_matrix + (origin.row + a_row) * k + a_inner;
            b = b_matrix + b_inner * n + origin.column + b_column;
        }

        CT_HOST_DEVICE void fetch(std::int64_t first) {
            const bool a_inside = first + a_inner < k;
            for (int step = 0; step < a_steps; ++step) {
                constexpr int apart = threads / Depth;
                of_a[step] = a_inside && step * apart < rows_left ? a[first + step * apart * k] : T{};
            }
            const bool b_inside = columns_left > 0;
            for (int step = 0; step < b_steps; ++step) {
                constexpr int apart = threads / Columns;
                const std::int64_t inner = first + step * apart;
                of_b[step] = b_inside && inner + b_inner < k ? b[inner * n] : T{};
            }
        }

        CT_HOST_DEVICE void store(Shared& shared, int buffer) const {
            for (int step = 0; step < a_steps; ++step)
                shared.a[buffer][a_inner][a_row + step * (threads / Depth)] = of_a[step];
            for (int step = 0; step < b_steps; ++step)
                shared.b[buffer][b_inner + step * (threads / Columns)][b_column] = of_b[step];
        }
    };

    CT_HOST_DEVICE static void multiply(const Shared& shared, int buffer, int first, Place place,
                                        T (&sum)[RowsPer][ColumnsPer]) {
        unrolled<Depth / Groups>([&]<int Inner>() {
            SixteenBytes of_a[RowsPer / piece], of_b[ColumnsPer / piece];
            const T* a = shared.a[buffer][first + Inner] + place.row * piece;
            const T* b = shared.b[buffer][first + Inner] + place.column * piece;
            for (int i = 0; i < RowsPer / piece; ++i)
                of_a[i] = *reinterpret_cast<const SixteenBytes*>(a + i * thread_rows * piece);
            for (int j = 0; j < ColumnsPer / piece; ++j)
                of_b[j] = *reinterpret_cast<const SixteenBytes*>(b + j * thread_columns * piece);
            for (int i = 0; i < RowsPer; ++i)
                for (int j = 0; j < ColumnsPer; ++j)
                    sum[i][j] =
                        multiply_add(sum[i][j], of_a[i / piece].part[i % piece], of_b[j / piece].part[j % piece]);
        });
    }

    /// Row and column within the tile of a thread's element i, j.
    CT_HOST_DEVICE static int row_of(Place place, int i) {
        return (i / piece * thread_rows + place.row) * piece + i % piece;
    }
    CT_HOST_DEVICE static int column_of(Place place, int j) {
        return (j / piece * thread_columns + place.column) * piece + j % piece;
    }

    template <class Block>
    CT_HOST_DEVICE static void add_groups(const Block& block, Shared& shared, int group, Place place,
                                          T (&sum)[RowsPer][ColumnsPer]) {
        for (int other = 1; other < Groups; ++other) {
            if (group == other)
                for (int i = 0; i < RowsPer; ++i)
                    for (int j = 0; j < ColumnsPer; ++j) shared.sums[row_of(place, i)][column_of(place, j)] = sum[i][j];
            block.sync();
            if (group == 0)
                for (int i = 0; i < RowsPer; ++i)
                    for (int j = 0; j < ColumnsPer; ++j)
                        sum[i][j] = sum[i][j] + shared.sums[row_of(place, i)][column_of(place, j)];
            block.sync();
        }
    }

    /// 16 bytes at a time where every row of c begins on such a boundary.
    CT_HOST_DEVICE static void write(T* c, const ProductShape& shape, TileOrigin origin, Place place,
                                     const T (&sum)[RowsPer][ColumnsPer]) {
        const bool whole_pieces = shape.n % piece == 0;
        for (int i = 0; i < RowsPer; ++i) {
            const std::int64_t row = origin.row + row_of(place, i);
            if (row >= shape.m) continue;
            for (int j = 0; j < ColumnsPer; j += piece) {
                const std::int64_t column = origin.column + column_of(place, j);
                T* to = c + row * shape.n + column;
                if (whole_pieces) {
                    SixteenBytes written;
                    for (int part = 0; part < piece; ++part) written.part[part] = sum[i][j + part];
                    if (column < shape.n) *reinterpret_cast<SixteenBytes*>(to) = written;
                } else {
                    for (int part = 0; part < piece; ++part)
                        if (column + part < shape.n) to[part] = sum[i][j + part];
                }
            }
        }
    }
};

}  // namespace cornerturn
