// SPDX-License-Identifier: Apache-2.0
// The sweeps that gather along spectra and store over what is there (place() and again() of line_pass.h).
#pragma once

#include "kernels/cuda/plain/rows.cuh"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

/// Reads spectra between their bins, for other ones. Neighbouring threads read almost the same bins.
template <class Hooks, int Lanes>
struct GatherSpectra {
    static constexpr int lanes = Lanes;
    Hooks hooks;
    SincPolynomials<float> weights;
    std::int64_t first_line;
    std::int64_t bins;
    const Complex64* spectra;
    Complex64* out;

    struct Nothing {};
    CT_HOST_DEVICE Nothing load(std::int64_t, std::int64_t) const { return {}; }
    CT_HOST_DEVICE SampleVector<Complex64, Lanes> make(std::int64_t row, std::int64_t bin, Nothing) const {
        SampleVector<Complex64, Lanes> piece;
        for (int i = 0; i < Lanes; ++i)
            piece.lane[i] = gathered(spectra + row * bins, bins, weights, hooks.place(first_line + row, bin + i));
        return piece;
    }
    CT_HOST_DEVICE Complex64* place(std::int64_t row, std::int64_t bin) const { return out + row * bins + bin; }
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
