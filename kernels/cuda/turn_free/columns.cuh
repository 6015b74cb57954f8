// SPDX-License-Identifier: Apache-2.0
// Azimuth transforms alone of a matrix that stays [azimuth][range]: what TurnFreeForward and TurnFreeInverse
// (turn_free.cuh) leave to be done among 32 neighbouring lines. A Doppler bin is k = k2 + L k0, a line n = n0 + 32 n1.
#pragma once

#include "kernels/cuda/turn_free/turn_free.cuh"

namespace cornerturn {

/// A thread takes a column through the 32 lines of a k2.
struct ThirtyTwoLines {
    struct Shape {
        static constexpr int threads = 128, blocks_per_processor = 4, slots = 0;
    };
    const Complex64* in;
    Complex64* out;
    std::int64_t cells;  ///< columns of both
    int bins;            ///< L

    std::int64_t blocks() const { return (cells + Shape::threads - 1) / Shape::threads; }
    std::int64_t block_rows() const { return bins; }
};

/// From what TurnFreeForward leaves to bins in their order.
struct LinesToBins : ThirtyTwoLines {
    const Twiddle* twiddle;  ///< [L] W_Na^k2

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t k2 = block.row(),
                           cell = static_cast<std::int64_t>(block.number()) * Shape::threads + block.thread().x;
        if (cell >= cells) return;
        const Complex64* from = in + turn_free_rows * k2 * cells + cell;
        Complex64* to = out + k2 * cells + cell;
        Complex64 v[turn_free_rows];
        unrolled<turn_free_rows>([&]<int J>() { v[J] = block.fetch(from + J * cells); });
        transform<turn_free_rows>(v, block.table(twiddle + k2));
        const std::int64_t step = bins * cells;
        unrolled<turn_free_rows>([&]<int J>() { block.put(to + J * step, v[J]); });
    }
};

/// From bins in their order to what TurnFreeInverse wants, swapped.
struct BinsToLines : ThirtyTwoLines {
    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t k2 = block.row(),
                           cell = static_cast<std::int64_t>(block.number()) * Shape::threads + block.thread().x;
        if (cell >= cells) return;
        const Complex64* from = in + k2 * cells + cell;
        Complex64* to = out + turn_free_rows * k2 * cells + cell;
        const std::int64_t step = bins * cells;
        Complex64 v[turn_free_rows];
        unrolled<turn_free_rows>([&]<int J>() { v[J] = swapped(block.fetch(from + J * step)); });
        transform<turn_free_rows>(v);
        unrolled<turn_free_rows>([&]<int J>() { block.put(to + J * cells, v[J]); });
    }
};

}  // namespace cornerturn
