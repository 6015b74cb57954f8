// SPDX-License-Identifier: Apache-2.0
// Reads spectra between their bins, as gathered() of line_pass.h does.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cuda/launch/unrolled.h"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

struct SpectrumReader {
    SincPolynomials<float> weights;
    int bins = 0;

    /// values[i] is the spectrum at places[i]. Several at a time: they share the coefficients of the weights.
    template <int Count>
    CT_HOST_DEVICE void read(const Complex64* spectrum, const SpectrumPlace<float> (&places)[Count],
                             Complex64 (&values)[Count]) const {
        int first[Count];
        float u[Count];
        bool inside = true;
        unrolled<Count>([&]<int I>() {
            // The nearest whole number stands in the last bits of a sum with this: what conversions do in far more
            // time.
            constexpr double to_whole = 6755399441055744.0;  // 1.5 * 2^52
            const double behind_middle = places[I].bin - 0.5, shifted = behind_middle + to_whole;
            std::uint64_t whole;
            std::memcpy(&whole, &shifted, sizeof whole);
            u[I] = static_cast<float>(behind_middle - (shifted - to_whole));
            first[I] = static_cast<int>(static_cast<std::uint32_t>(whole)) - weights.taps / 2 + 1;
            inside = inside && first[I] >= 0 && first[I] + weights.taps <= bins;
            values[I] = {0, 0};
        });
        if (inside)
            add(spectrum, first, u, values);
        else
            add_around_the_ends(spectrum, first, u, values);
        unrolled<Count>([&]<int I>() { values[I] = places[I].factor * values[I]; });
    }

private:
    template <int Count>
    CT_HOST_DEVICE void add(const Complex64* spectrum, const int (&first)[Count], const float (&u)[Count],
                            Complex64 (&values)[Count]) const {
        switch (weights.taps) {
            case 8: return add_taps<8>(spectrum, first, u, values);
            case 12: return add_taps<12>(spectrum, first, u, values);
            case 16: return add_taps<16>(spectrum, first, u, values);
        }
    }
    template <int Taps, int Count>
    CT_HOST_DEVICE void add_taps(const Complex64* spectrum, const int (&first)[Count], const float (&u)[Count],
                                 Complex64 (&values)[Count]) const {
        unrolled<Taps / 2>([&]<int Pair>() {
            unrolled<Count>([&]<int I>() {
                const TapPair<float> weight = weights.mirrored(Pair, u[I]);
                const Complex64* from = spectrum + first[I];
                values[I] = values[I] + weight.left * from[Pair] + weight.right * from[Taps - 1 - Pair];
            });
        });
    }
    template <int Count>
    CT_HOST_DEVICE void add_around_the_ends(const Complex64* spectrum, const int (&first)[Count],
                                            const float (&u)[Count], Complex64 (&values)[Count]) const {
        for (int tap = 0; tap < weights.taps; ++tap)
            unrolled<Count>([&]<int I>() {
                int bin = first[I] + tap;
                while (bin < 0) bin += bins;  // more than once where the spectrum is shorter than the kernel
                while (bin >= bins) bin -= bins;
                values[I] = values[I] + weights.weight(tap, u[I]) * spectrum[bin];
            });
    }
};

}  // namespace cornerturn
