// SPDX-License-Identifier: Apache-2.0
// The two ways to read along the migration in a turned matrix.
#pragma once

#include "kernels/cuda/migration/window.cuh"
#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {

/// Sample by sample: exact for any geometry. Neighbouring threads take neighbouring bins, whose cells differ slowly, so
/// that every tap reads a piece of one row.
template <int Taps>
struct SampleGather {
    AzimuthCompressionHooks hooks;
    SincPolynomials<float> sinc;
    const Complex64* in;
    std::int64_t input_cells;
    std::int64_t first_column;
    Complex64* out;
    std::int64_t pitch = hooks.fft_length;  ///< of the rows of out, in samples

    CT_HOST_DEVICE void operator()(std::int64_t row, std::int64_t bin) const {
        out[row * pitch + bin] = hooks.weight_at(first_column + row, bin) > 0 ? filtered(row, bin) : Complex64{0, 0};
    }

private:
    CT_HOST_DEVICE Complex64 filtered(std::int64_t row, std::int64_t bin) const {
        const Migration m = hooks.at(first_column + row, bin);
        const double base = floor(m.position_cells);
        Complex64 value{0, 0};
        // Written so that a position that is not a number reads nothing.
        if (base >= -Taps && base <= static_cast<double>(input_cells + Taps)) {
            const std::int64_t first_cell = static_cast<std::int64_t>(base) - Taps / 2 + 1;
            const float u = static_cast<float>(m.position_cells - base - 0.5);
            unrolled<Taps>([&]<int Tap>() {
                const std::int64_t cell = first_cell + Tap;
                if (cell >= 0 && cell < input_cells)
                    value = value + sinc.weight(Tap, u) * in[cell * hooks.fft_length + bin];
            });
            value = static_cast<float>(m.gain) * unit_phasor<float>(m.phase_cycles) * value;
        }
        return value;
    }
};

/// A chunk of columns per thread, neighbouring threads at neighbouring bins.
template <int Taps, int Chunk, int Order>
struct WindowGather {
    static constexpr int threads = 128, blocks_per_processor = 4;

    SincPolynomials<float> sinc;
    const std::int32_t* first_cell;  ///< per tile of law_tile_columns
    const TileLaw* laws;             ///< [tile][bin]
    const float* column_gain;        ///< per column of the image
    const Complex64* in;
    std::int64_t input_cells, bins;
    std::int64_t first_column, columns;  ///< to be made
    Complex64* out;
    std::int64_t pitch = bins;  ///< of the rows of out, in samples

    CT_HOST_DEVICE std::int64_t first_chunk() const { return first_column / Chunk; }
    CT_HOST_DEVICE std::int64_t bin_blocks() const { return (bins + threads - 1) / threads; }
    std::int64_t blocks() const {
        return ((first_column + columns + Chunk - 1) / Chunk - first_chunk()) * bin_blocks();
    }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        // Blocks that follow each other take the same bins: they share cells at the ends of their chunks.
        const unsigned chunks = static_cast<unsigned>((first_column + columns + Chunk - 1) / Chunk - first_chunk());
        const unsigned which = block.number() / chunks;
        const std::int64_t chunk = first_chunk() + (block.number() - which * chunks);
        const std::int64_t bin = static_cast<std::int64_t>(which) * threads + block.thread().x;
        if (bin >= bins) return;
        const std::int64_t column = chunk * Chunk, tile = column / law_tile_columns;
        const TileLaw law = laws[tile * bins + bin];
        const std::int64_t origin = first_cell[tile];
        const Complex64* from = in + origin * bins + bin;
        MigrationWindow<Taps, Chunk, Order> window;
        window.open(law, sinc, static_cast<int>(column - tile * law_tile_columns), [&](int cell) {
            const std::int64_t row = origin + cell;
            return row >= 0 && row < input_cells ? from[cell * bins] : Complex64{0, 0};
        });
        window.run(Write<Block>{block, out + (column - first_column) * pitch + bin, pitch, column_gain + column,
                                static_cast<int>(first_column - column),
                                static_cast<int>(first_column + columns - column)});
    }

private:
    template <class Block>
    struct Write {
        const Block& block;
        Complex64* to;
        std::int64_t pitch;
        const float* gain;
        int first, last;
        template <int K>
        CT_HOST_DEVICE void operator()(Complex64 value) const {
            if (K >= first && K < last) to[K * pitch] = block.table(gain + K) * value;
        }
    };
};

}  // namespace cornerturn
