// SPDX-License-Identifier: Apache-2.0
// Range compression of lines that no block of threads can hold: three kernels over a few lines, which stay in the L2
// cache from one to the next.
//
// N = N1 N2: N1 points in the registers of a thread, N2 in the shared memory of a block. Sample n = n2 + N2 n1, bin k =
// k1 + N1 k2.
//   SplitDecode  for each n2 a transform over n1; row k1 of the line gets bin k1.
//   SplitFilter  for each row k1 a transform over n2, factor W_N^(k1 n2), the filter, and the inverse transform over
//   k2. SplitStore   for each n2 an inverse transform over k1, factor W_N^(-k1 n2): natural order of range.
// The factors ride on the first butterflies. Inverse transforms are forward ones of swapped numbers: SplitFilter swaps,
// SplitStore swaps back.
#pragma once

#include <type_traits>

#include "kernels/cuda/lines/range_line.cuh"

namespace cornerturn {

/// Of the kernels that transform Points samples in the registers of a thread.
template <int Points>
struct SplitShape {
    static constexpr int threads = 128, slots = 0;
    static constexpr int blocks_per_processor = Points <= 16 ? 6 : 5;  // 80 registers for a thread, or 96

    /// Rows have to be whole numbers of blocks.
    static std::int64_t blocks(int row_length) { return row_length / threads; }
    /// Of a row.
    static CT_HOST_DEVICE int warps(int row_length) { return row_length / 32; }
};

template <int Points, class Echo>
struct SplitDecode {
    using Shape = SplitShape<Points>;
    Echo echo;
    std::int64_t first_line;  ///< of the pass, for line 0 here
    std::int64_t lines;
    std::int64_t samples;  ///< of a line of the echo; zeros behind
    int row_length;        ///< N2
    Complex64* out;        ///< lines x Points x row_length
    float* peaks;          ///< lines x warps of a row: the largest component that each saw; null: not wanted

    std::int64_t blocks() const { return Shape::blocks(row_length); }
    std::int64_t block_rows() const { return lines; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const int n2 = static_cast<int>(block.number()) * Shape::threads + block.thread().x,
                  count = static_cast<int>(samples);
        const std::int64_t line = first_line + block.row();
        Complex64 v[Points];
        echo.template load<false>(block, v, line, n2, FreeStep{row_length}, count);
        float peak = peaks != nullptr ? largest_component(v) : 0.0f;
        transform<Points>(v);
        // The sum of all inputs: not finite where one of them is not.
        if (!is_finite(v[0]) && echo.template load<true>(block, v, line, n2, FreeStep{row_length}, count)) {
            peak = peaks != nullptr ? largest_component(v) : 0.0f;
            transform<Points>(v);
        }
        Complex64* to = out + static_cast<std::int64_t>(block.row()) * Points * row_length + n2;
        unrolled<Points>([&]<int J>() { block.put(to + J * row_length, v[J]); });
        if (peaks != nullptr) {
            const float of_warp = block.warp_max(peak);
            if (n2 % 32 == 0)
                peaks[static_cast<std::int64_t>(block.row()) * Shape::warps(row_length) + n2 / 32] = of_warp;
        }
    }
};

/// Factors of the rows' transforms, for each k1 beside those of LineTwiddles.
struct SplitTwiddles {
    const Twiddle* forward_a;  ///< [N1] W_N^(k1 B C)
    const Twiddle* forward_b;  ///< [N1][A] W_N^(k1 C) W_AB^k_a
    const Twiddle* forward_c;  ///< [N1][A B] W_N^k1 W_N2^first_bin_of(b)
    const Twiddle* inverse_b;
    const Twiddle* inverse_a;
};

/// In place: what a thread fetches goes into all that is stored, so that no fetch can come too late.
template <class Digits>
struct SplitFilter {
    using Shape = Digits;
    Complex64* rows;  ///< lines x points x length
    std::int64_t lines;
    unsigned points;           ///< N1
    const FilterPair* filter;  ///< as split_filter lays it out
    SplitTwiddles twiddles;

    // Blocks that run at once have a row of the filter in common.
    std::int64_t blocks() const { return lines; }
    std::int64_t block_rows() const { return points; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const int k1 = static_cast<int>(block.row());
        const LineTwiddles of_row{twiddles.forward_b + k1 * Digits::A,
                                  twiddles.forward_c + k1 * (Digits::A * Digits::B), twiddles.inverse_b,
                                  twiddles.inverse_a};
        const FusedLineFft<Digits, Block> fft(block, block.template memory<Complex64>(), of_row);
        Complex64* row = rows + static_cast<std::int64_t>(block.number() * points + block.row()) * Digits::length;
        fft.filtered(Load<Block>{block, row, twiddles.forward_a + k1}, filter + k1 * (Digits::length / 2),
                     [&](const Complex64(&v)[Digits::A], int n) {
                         unrolled<Digits::A>([&]<int J>() { row[n + J * step] = v[J]; });
                     });
    }

private:
    static constexpr int step = Digits::B * Digits::C;

    template <class Block>
    struct Load {
        const Block& block;
        const Complex64* row;
        const Twiddle* forward_a;

        CT_HOST_DEVICE void operator()(Complex64 (&v)[Digits::A], int n) const {
            unrolled<Digits::A>([&]<int J>() { v[J] = block.template fetch<J * step>(row + n); });
        }
        CT_HOST_DEVICE void first_butterfly(Complex64 (&v)[Digits::A]) const {
            transform<Digits::A>(v, block.table(forward_a));
        }
        CT_HOST_DEVICE bool finite(Complex64 (&)[Digits::A], int) const { return false; }
        CT_HOST_DEVICE void done() const {}
    };
};

template <int Points, class Sample>
struct SplitStore {
    using Shape = SplitShape<Points>;
    const Complex64* in;  ///< lines x Points x row_length, swapped
    std::int64_t lines;
    int row_length;
    const Twiddle* twiddle;   ///< [row_length] W_N^n2
    std::int64_t first_line;  ///< of the pass, for line 0 here
    std::int64_t samples;     ///< of a line of out
    Sample* out;              ///< of the pass
    const float* peaks;       ///< of halves, as SplitDecode leaves them
    float* scale;             ///< of halves, per line of the pass
    float growth;             ///< of a component of the echo to a modulus behind the filter, at most

    std::int64_t blocks() const { return Shape::blocks(row_length); }
    std::int64_t block_rows() const { return lines; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        constexpr bool halves = std::is_same_v<Sample, HalfPair>;
        const int n2 = static_cast<int>(block.number()) * Shape::threads + block.thread().x,
                  count = static_cast<int>(samples);
        const std::int64_t row = block.row(), line = first_line + row;
        const Complex64* from = in + row * Points * row_length + n2;
        Complex64 v[Points];
        unrolled<Points>([&]<int J>() { v[J] = block.fetch(from + J * row_length); });
        float factor = 1;
        if constexpr (halves) {
            const float line_scale = scale_of_line(largest_peak(block, row), growth);
            if (n2 == 0) scale[line] = line_scale;
            factor = 1.0f / line_scale;
        }
        transform<Points>(v, block.table(twiddle + n2));
        Sample* to = out + line * samples + n2;
        unrolled<Points>([&]<int J>() {
            if (n2 + J * row_length >= count) return;
            block.put(to + J * row_length, halves ? factor * swapped(v[J]) : swapped(v[J]));
        });
    }

private:
    template <class Block>
    CT_HOST_DEVICE float largest_peak(const Block& block, std::int64_t row) const {
        const int warps = Shape::warps(row_length);
        float peak = 0;
        for (int warp = block.thread().x % 32; warp < warps; warp += 32) peak = fmaxf(peak, peaks[row * warps + warp]);
        return block.warp_max(peak);
    }
};

}  // namespace cornerturn
