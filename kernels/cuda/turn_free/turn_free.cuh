// SPDX-License-Identifier: Apache-2.0
// The azimuth part of range-Doppler without a corner turn: the matrix stays [azimuth][range] from raw to image.
//
// Na = 32 L; a line n = n0 + 32 n1, a Doppler bin k = k2 + L k0.
//   TurnFreeForward  for each n0 a transform over n1 down the columns; bin k2 goes to line n0 + 32 k2.
//   TurnFreeGather          for each k2 the 32 neighbouring lines n0 become the 32 bins k0 (transform over n0, factor
//                   W_Na^(n0 k2)); each is interpolated along its migration, multiplied by the azimuth filter, and the
//                   first step of the inverse transform makes of the bins k0 again 32 lines n0.
//   TurnFreeInverse  for each n0 a transform over k2, factor W_Na^(n0 k2): natural order of time. It also multiplies
//                   each column by the gain that all bins share there.
// Each kernel reads and writes the matrix once. Inverse transforms are forward ones of swapped numbers: TurnFreeGather
// swaps, TurnFreeInverse swaps back.
//
// What lies between the kernels may be halves (Sample is HalfPair, else Complex64). Then the lines that come in have a
// scale each, and FrameScale makes one for the whole frame of them: each kernel stores what its largest output can be
// as largest_scaled_half, and TurnFreeInverse undoes all of it.
#pragma once

#include <type_traits>

#include "kernels/cuda/fft/column_fft.cuh"
#include "kernels/cuda/migration/window.cuh"
#include "kernels/device/scaled_lines.h"
#include "kernels/passes/echo_format.h"

namespace cornerturn {

inline constexpr int turn_free_rows = 32;  ///< lines that TurnFreeGather takes together

/// Factors of the lines that a butterfly of TurnFreeForward takes together, in whole words.
struct alignas(16) FourFactors {
    float of[4];

    /// That a butterfly of `a` lines takes.
    static CT_HOST_DEVICE constexpr int words(int a) { return (a + 3) / 4; }
};

/// From the scales of lines to that of what TurnFreeForward makes of them; a block for each n0.
struct FrameScale {
    struct Shape {
        static constexpr int threads = 1024, blocks_per_processor = 1, slots = threads / 32 / 2;
    };
    const float* scale;  ///< per line
    int lines;
    int a, b;            ///< digits of L
    float later_growth;  ///< of the kernels behind TurnFreeForward
    float* factor;  ///< [32][b] butterflies of a values in whole FourFactors; what fills the last one is never used
    float* image_scale;  ///< what TurnFreeInverse multiplies its result by

    std::int64_t blocks() const { return turn_free_rows; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        auto* largest_of_warp = block.template memory<float>();
        const int t = block.thread().x;
        float largest = 0;
        for (int line = t; line < lines; line += Shape::threads) largest = fmaxf(largest, scale[line]);
        largest = block.warp_max(largest);
        if (t % 32 == 0) largest_of_warp[t / 32] = largest;
        block.sync();
        for (int warp = 0; warp < Shape::threads / 32; ++warp) largest = fmaxf(largest, largest_of_warp[warp]);
        const float frame = largest * static_cast<float>(a * b);  // L numbers are added up
        const int n0 = static_cast<int>(block.number());
        for (int n1 = t; n1 < a * b; n1 += Shape::threads) {
            const int line = n0 + turn_free_rows * n1;
            factor[(n0 * b + n1 % b) * (4 * FourFactors::words(a)) + n1 / b] =
                line < lines ? scale[line] / frame : 0.0f;
        }
        if (n0 == 0 && t == 0) *image_scale = frame * later_growth;
    }
};

template <class Digits, class Sample>
struct TurnFreeForward {
    using Shape = Digits;
    const Sample* in;
    std::int64_t lines;         ///< of in; zeros behind
    std::int64_t cells;         ///< columns of in and out
    Sample* out;                ///< Na x cells
    const Twiddle* second;      ///< [A] W_L^k_a
    const FourFactors* factor;  ///< of halves: [32][B] butterflies of A values, each in whole words

    std::int64_t blocks() const { return (cells + Digits::columns - 1) / Digits::columns; }
    std::int64_t block_rows() const { return turn_free_rows; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const unsigned n0 = block.row();
        const std::int64_t column =
            static_cast<std::int64_t>(block.number()) * Digits::columns + block.thread().x % Digits::columns;
        const bool inside = column < cells;
        const std::int64_t step = turn_free_rows * cells;  // from n1 to n1 + 1, from k2 to k2 + 1
        const Sample* from = in + n0 * cells + column;
        Sample* to = out + n0 * cells + column;
        const int count =
            static_cast<int>((lines - n0 + turn_free_rows - 1) / turn_free_rows);  // values of n1 that lie in the echo
        const ColumnFft<Digits, Block> fft(block, block.template memory<Complex64>());
        fft(
            [&](Complex64(&v)[Digits::A], int n1) {
                unrolled<Digits::A>([&]<int J>() {
                    const bool there = inside && n1 + Digits::B * J < count;
                    v[J] =
                        there ? block.widened(block.fetch(from + n1 * step + J * (Digits::B * step))) : Complex64{0, 0};
                });
                if constexpr (std::is_same_v<Sample, HalfPair>) {
                    constexpr int words = FourFactors::words(Digits::A);
                    FourFactors factors[words];
                    unrolled<words>(
                        [&]<int I>() { factors[I] = block.table(factor + ((n0 * Digits::B + n1) * words + I)); });
                    unrolled<Digits::A>([&]<int J>() { v[J] = factors[J / 4].of[J % 4] * v[J]; });
                }
            },
            [](Complex64(&v)[Digits::A]) { transform<Digits::A>(v); }, [&](int k) { return second[k]; },
            [&](int k2, int j, Complex64 value) {
                if (inside) block.put(to + k2 * step + j * (Digits::A * step), value);
            });
    }
};

/// What to do with the columns of an image: circular index to rows, uncovered rows to zero.
template <class Digits, class Sample>
struct TurnFreeInverse {
    using Shape = Digits;
    const Sample* in;  ///< Na x columns, swapped
    std::int64_t columns;
    std::int64_t fft_length, image_rows;
    const Interval* covered_rows;  ///< per column; the others are set to zero
    Complex64* out;                ///< image_rows x columns
    const Twiddle* first;          ///< [32] W_Na^(B n0)
    const Twiddle* second;         ///< [32][A] W_Na^(n0 + 32 k_a)
    const float* column_gain;      ///< as TileLaws has it
    const float* scale;            ///< of halves
    unsigned* not_finite;          ///< set to 1 where a pixel is not; may be null

    std::int64_t blocks() const { return (columns + Digits::columns - 1) / Digits::columns; }
    std::int64_t block_rows() const { return turn_free_rows; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const unsigned n0 = block.row();
        const std::int64_t column =
            static_cast<std::int64_t>(block.number()) * Digits::columns + block.thread().x % Digits::columns;
        const bool inside = column < columns;
        const std::int64_t step = turn_free_rows * columns;
        const Sample* from = in + n0 * columns + column;
        Complex64* to = out + n0 * columns + column;
        const Interval covered = inside ? covered_rows[column] : Interval{};
        const int length = static_cast<int>(fft_length), rows = inside ? static_cast<int>(image_rows) : 0;
        const Twiddle before = first[n0];
        const float gain = inside ? column_gain[column] : 0.0f;
        const float factor = std::is_same_v<Sample, HalfPair> ? *scale * gain : gain;
        bool all_finite = true;
        const ColumnFft<Digits, Block> fft(block, block.template memory<Complex64>());
        fft(
            [&](Complex64(&v)[Digits::A], int k2) {
                unrolled<Digits::A>([&]<int J>() {
                    v[J] = inside ? block.widened(block.fetch(from + k2 * step + J * (Digits::B * step)))
                                  : Complex64{0, 0};
                });
            },
            [&](Complex64(&v)[Digits::A]) { transform<Digits::A>(v, before); },
            [&](int k) { return second[n0 * Digits::A + k]; },
            [&](int n1, int j, Complex64 value) {
                Complex64* pixel = to + n1 * step + j * (Digits::A * step);
                value = factor * value;
                all_finite &= is_finite(value);
                const auto store = [&](int row) {
                    block.put(pixel, row >= covered.first && row < covered.last ? swapped(value) : Complex64{0, 0});
                };
                const int row = static_cast<int>(n0) + turn_free_rows * (n1 + Digits::A * j);
                if (row < rows) store(row);
                for (int again = row + length; again < rows; again += length) {
                    pixel += length * columns;
                    store(again);
                }
            });
        if (!all_finite && not_finite != nullptr) *not_finite = 1;  // whoever comes here writes the same
    }
};

/// Cells of 32 lines lie in shared memory, Cells at a time; a tile of the image has `sets` x 8 x Chunk columns.
template <int Taps_, int Chunk_, int Order_, int Cells_, class Sample>
struct TurnFreeGather {
    using Shape = TurnFreeGather;
    static constexpr int Taps = Taps_, Chunk = Chunk_, Order = Order_, Cells = Cells_;
    static constexpr int threads = 256, groups = threads / turn_free_rows, blocks_per_processor = Cells <= 256 ? 2 : 1;
    static constexpr int pitch = Cells + 3;  // odd: neighbouring lines lie in different banks
    static constexpr int slots = turn_free_rows * pitch;
    static constexpr int columns_per_set = groups * Chunk;

    const Sample* in;
    std::int64_t cells;  ///< columns of in
    Sample* out;
    std::int64_t columns;  ///< of out
    int bins;              ///< L
    int sets;
    SincPolynomials<float> sinc;
    const std::int32_t* first_cell;  ///< per tile
    const TileLaw* laws;             ///< [tile][k2][k0]
    const Twiddle* twiddle;          ///< [L] W_Na^k2
    unsigned ahead;  ///< blocks by which cells are fetched into the L2 cache before their turn; 0: not at all

    int tile_columns() const { return sets * columns_per_set; }
    std::int64_t blocks() const { return (columns + tile_columns() - 1) / tile_columns(); }
    std::int64_t block_rows() const { return bins; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const int width = sets * columns_per_set, t = block.thread().x, k0 = t % turn_free_rows,
                  group = t / turn_free_rows;
        const unsigned k2 = block.row(), tile = block.number();
        Complex64* memory = block.template memory<Complex64>();
        // Asked for here, the law is there when it is needed.
        const TileLaw law = laws[(static_cast<std::int64_t>(tile) * bins + k2) * turn_free_rows + k0];
        to_bins(block, memory, t, first_cell[tile], k2);
        Complex64* line = memory + k0 * pitch;
        block.sync();
        for (int set = 0; set < sets; ++set) {
            // Later chunks read cells that lie behind the columns written by earlier ones, so only those of one set
            // have to wait.
            const int q = (set * groups + group) * Chunk;
            const bool inside = tile * width + q < columns;
            MigrationWindow<Taps, Chunk, Order> window;
            if (inside) window.open(law, sinc, q, [&](int cell) { return line[cell]; });
            block.sync();
            if (inside) window.run(Write{line + q});
        }
        block.sync();
        to_lines(block, memory, t, static_cast<std::int64_t>(tile) * width, width, k2);
    }

private:
    struct Write {
        Complex64* to;
        template <int K>
        CT_HOST_DEVICE void operator()(Complex64 value) const {
            to[K] = swapped(value);
        }
    };

    template <class Block>
    CT_HOST_DEVICE void to_bins(const Block& block, Complex64* memory, int t, int first, unsigned k2) const {
        const Sample* from = in + static_cast<std::int64_t>(turn_free_rows * k2) * cells;
        for (int c = t; c < Cells; c += threads) {
            const std::int64_t cell = first + c;
            const bool inside = cell >= 0 && cell < cells;
            Complex64 v[turn_free_rows];
            unrolled<turn_free_rows>([&]<int J>() {
                v[J] = inside ? block.widened(block.fetch(from + cell + J * cells)) : Complex64{0, 0};
            });
            if (c == t && ahead > 0) prefetch(block, t, first);
            transform<turn_free_rows>(v, block.table(twiddle + k2));
            unrolled<turn_free_rows>([&]<int J>() { memory[J * pitch + c] = v[J]; });
        }
    }

    template <class Block>
    CT_HOST_DEVICE void prefetch(const Block& block, int t, int first) const {
        const auto later = block.later(ahead);
        if (!later.inside) return;
        constexpr int cells_per_line = 128 / static_cast<int>(sizeof(Sample)),
                      lines_per_row = (Cells + cells_per_line - 1) / cells_per_line;
        const Sample* from = in + static_cast<std::int64_t>(turn_free_rows * later.row) * cells;
        // As if its tile began as this one does: not worth a table.
        const int later_first =
            first + (static_cast<int>(later.number) - static_cast<int>(block.number())) * (sets * columns_per_set);
        constexpr int lines = turn_free_rows * lines_per_row;
        unrolled<(lines + threads - 1) / threads>([&]<int I>() {
            const int line = t + threads * I;
            const int cell = later_first + line % lines_per_row * cells_per_line;
            if ((lines % threads == 0 || line < lines) && cell >= 0 && cell < cells)
                block.prefetch(from + line / lines_per_row * cells + cell);
        });
    }

    template <class Block>
    CT_HOST_DEVICE void to_lines(const Block& block, const Complex64* memory, int t, std::int64_t first_column,
                                 int width, unsigned k2) const {
        Sample* to = out + static_cast<std::int64_t>(turn_free_rows * k2) * columns + first_column;
        for (int c = t; c < width && first_column + c < columns; c += threads) {
            Complex64 v[turn_free_rows];
            unrolled<turn_free_rows>([&]<int J>() { v[J] = memory[J * pitch + c]; });
            transform<turn_free_rows>(v);
            unrolled<turn_free_rows>([&]<int J>() { block.put(to + c + J * columns, v[J]); });
        }
    }
};

}  // namespace cornerturn
