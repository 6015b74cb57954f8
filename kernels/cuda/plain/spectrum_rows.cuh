// SPDX-License-Identifier: Apache-2.0
// The sweeps that gather along spectra and store over what is there (place() and again() of line_pass.h).
#pragma once

#include "kernels/cuda/fft/spectrum_reader.cuh"
#include "kernels/cuda/launch/unrolled.h"
#include "kernels/cuda/plain/rows.cuh"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

/// Reads spectra between their bins, for other ones. A thread reads the law of a line once for some bins, few enough
/// for many threads to have registers; neighbouring threads read almost the same bins.
template <class Hooks>
struct GatherSpectra {
    static constexpr int threads = 128, bins_of_thread = 4;
    Hooks hooks;
    SpectrumReader reader;
    std::int64_t first_line;
    std::int64_t rows, bins;
    const Complex64* spectra;
    Complex64* out;

    CT_HOST_DEVICE std::int64_t blocks_across() const {
        return (bins + threads * bins_of_thread - 1) / (threads * bins_of_thread);
    }
    std::int64_t blocks() const { return rows * blocks_across(); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const unsigned across = static_cast<unsigned>(blocks_across()), row = block.number() / across;
        const std::int64_t first =
            static_cast<std::int64_t>(block.number() - row * across) * (threads * bins_of_thread) + block.thread().x;
        const auto law = of_line(hooks, first_line + row);
        SpectrumPlace<float> places[bins_of_thread];
        Complex64 values[bins_of_thread];
        unrolled<bins_of_thread>([&]<int I>() { places[I] = law.place(first + I * threads); });  // beyond the last, too
        reader.read(spectra + row * bins, places, values);
        unrolled<bins_of_thread>([&]<int I>() {
            const std::int64_t bin = first + I * threads;
            if (bin < bins) block.put(out + row * bins + bin, values[I]);
        });
    }
};

/// As StoreLines, but what is not covered stays as it is.
template <class Hooks, int Lanes>
struct StoreOver {
    static constexpr int lanes = Lanes;
    StoreLines<Hooks, Lanes> lines;

    struct Both {
        SampleVector<Complex64, Lanes> made, there;
    };
    CT_HOST_DEVICE Both load(std::int64_t row, std::int64_t index) const {
        return {lines.load(row, index), vector_at<Lanes>(lines.place(row, index))};
    }
    CT_HOST_DEVICE SampleVector<Complex64, Lanes> make(std::int64_t row, std::int64_t index, const Both& both) const {
        SampleVector<Complex64, Lanes> piece = both.there;
        for (int i = 0; i < Lanes; ++i)
            if (lines.rule(row).covers(index + i)) piece.lane[i] = both.made.lane[i];
        return piece;
    }
    CT_HOST_DEVICE Complex64* place(std::int64_t row, std::int64_t index) const { return lines.place(row, index); }
};

}  // namespace cornerturn
