// SPDX-License-Identifier: Apache-2.0
// Fourier transforms down some neighbouring columns by one block of threads, for turn-free azimuth
// transforms.
//
// L = A B. With n = n_b + B n_a and k = k_a + A k_b: butterflies over n_a, one exchange through shared memory,
// butterflies over n_b.
#pragma once

#include <cstdint>

#include "kernels/cuda/fft/butterfly.h"
#include "kernels/cuda/launch/kernel_grid.h"

namespace cornerturn {

/// Points down a column (A is done first), columns of a block, rows of threads.
template <int A_, int B_, int Columns_, int ThreadRows_, int BlocksPerProcessor_>
struct ColumnDigits {
    static constexpr int A = A_, B = B_, columns = Columns_, thread_rows = ThreadRows_,
                         blocks_per_processor = BlocksPerProcessor_;
    static constexpr int length = A * B, threads = columns * thread_rows, slots = length * columns;
};

/// Transform of the column that this thread shares with the others of the same thread().x % columns.
template <class Digits, class Block>
class ColumnFft {
public:
    CT_HOST_DEVICE ColumnFft(const Block& block, Complex64* memory)
        : block_(block),
          memory_(memory + block.thread().x % Digits::columns),
          row_(block.thread().x / Digits::columns) {}

    /// X[k] = sum of x[n] w^n W_L^(nk). load(v, n) fills v[j] with x[n + B j], store(k, j, X) takes X[k + A j];
    /// first(v) does the butterfly over n_a with input factor w^B, second(k_a) gives the factor w W_L^k_a of the
    /// others.
    template <class Load, class First, class Second, class Store>
    CT_HOST_DEVICE void operator()(const Load& load, const First& first, const Second& second,
                                   const Store& store) const {
        each<B>([&](int b) {
            Complex64 v[A];
            load(v, b);
            first(v);
            unrolled<A>([&]<int J>() { memory_[(J * B + b) * Digits::columns] = v[J]; });
        });
        block_.sync();
        each<A>([&](int b) {
            Complex64 v[B];
            unrolled<B>([&]<int J>() { v[J] = memory_[(b * B + J) * Digits::columns]; });
            transform<B>(v, second(b));
            unrolled<B>([&]<int J>() { store(b, J, v[J]); });
        });
    }

private:
    static constexpr int A = Digits::A, B = Digits::B;

    template <int Count, class F>
    CT_HOST_DEVICE void each(const F& butterfly) const {
        constexpr int rounds = (Count + Digits::thread_rows - 1) / Digits::thread_rows;
        unrolled<rounds>([&]<int Round>() {
            const int b = row_ + Digits::thread_rows * Round;
            if (Count % Digits::thread_rows == 0 || b < Count) butterfly(b);
        });
    }

    const Block& block_;
    Complex64* memory_;
    int row_;
};

/// Calls go(ColumnDigits) for a number of points that fits so much shared memory; false if there are none. Long columns
/// have a second kernel, of fewer columns (8 are what memory is read by): 64 KiB hold them all.
template <class Go>
bool with_column_digits(std::int64_t length, std::int64_t shared_bytes, Go go) {
    switch (length) {
        case 32: return with_first_that_fits<ColumnDigits<8, 4, 32, 4, 6>>(shared_bytes, go);
        case 48: return with_first_that_fits<ColumnDigits<12, 4, 32, 4, 6>>(shared_bytes, go);
        case 64: return with_first_that_fits<ColumnDigits<8, 8, 32, 8, 4>>(shared_bytes, go);
        case 80: return with_first_that_fits<ColumnDigits<10, 8, 32, 8, 4>>(shared_bytes, go);
        case 96: return with_first_that_fits<ColumnDigits<12, 8, 32, 8, 4>>(shared_bytes, go);
        case 128: return with_first_that_fits<ColumnDigits<16, 8, 32, 8, 4>>(shared_bytes, go);
        case 160: return with_first_that_fits<ColumnDigits<20, 8, 32, 8, 3>>(shared_bytes, go);
        case 192: return with_first_that_fits<ColumnDigits<24, 8, 32, 8, 3>>(shared_bytes, go);
        case 256: return with_first_that_fits<ColumnDigits<16, 16, 32, 16, 2>>(shared_bytes, go);
        case 320:
            return with_first_that_fits<ColumnDigits<20, 16, 32, 16, 2>, ColumnDigits<20, 16, 16, 16, 2>>(shared_bytes,
                                                                                                          go);
        case 384:
            return with_first_that_fits<ColumnDigits<24, 16, 32, 16, 1>, ColumnDigits<24, 16, 16, 16, 2>>(shared_bytes,
                                                                                                          go);
        case 512:
            return with_first_that_fits<ColumnDigits<32, 16, 32, 16, 1>, ColumnDigits<32, 16, 16, 16, 1>>(shared_bytes,
                                                                                                          go);
        case 640:
            return with_first_that_fits<ColumnDigits<20, 32, 32, 16, 1>, ColumnDigits<20, 32, 8, 32, 2>>(shared_bytes,
                                                                                                         go);
        case 768:
            return with_first_that_fits<ColumnDigits<24, 32, 32, 16, 1>, ColumnDigits<24, 32, 8, 32, 2>>(shared_bytes,
                                                                                                         go);
        case 1024:
            return with_first_that_fits<ColumnDigits<32, 32, 16, 32, 1>, ColumnDigits<32, 32, 8, 32, 1>>(shared_bytes,
                                                                                                         go);
    }
    return false;
}

}  // namespace cornerturn
