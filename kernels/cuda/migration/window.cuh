// SPDX-License-Identifier: Apache-2.0
// The interpolating load of azimuth compression on the GPU: a window of cells in registers slides along a chunk of
// columns.
//
// From one column to the next the position moves by one cell and a little more, so a chunk of K columns needs K + Taps
// cells, each read once, and weights that change so slowly that they are stepped, not computed. The phase is a rotation
// per column.
#pragma once

#include "kernels/cuda/launch/unrolled.h"
#include "kernels/math/phasor.h"
#include "kernels/passes/migration_law.h"

namespace cornerturn {

/// Calls go<Chunk, Order>() for the weight_steppings of that index, where a thread's registers hold their window.
template <int Taps, class Go>
void with_stepping(int index, const Go& go) {
    const auto stepping = [&]<int Index>() {
        constexpr WeightStepping of = weight_steppings[Index];
        if constexpr (of.chunk + Taps <= largest_window) go.template operator()<of.chunk, of.order>();
    };
    switch (index) {
        case 0: return stepping.template operator()<0>();
        case 1: return stepping.template operator()<1>();
        case 2: return stepping.template operator()<2>();
        case 3: return stepping.template operator()<3>();
    }
}

/// Weights of `Taps` cells at u = fraction - 1/2. Tap t at u weighs as tap Taps - 1 - t at -u: even and odd parts serve
/// both.
template <int Taps>
CT_HOST_DEVICE void sinc_weights(const SincPolynomials<float>& sinc, float u, float (&weight)[Taps]) {
    constexpr int degree = SincPolynomials<float>::degree;
    static_assert(degree % 2 == 1);
    const float square = u * u;
    unrolled<Taps / 2>([&]<int Tap>() {
        float even = sinc.coefficient[Tap][degree - 1], odd = sinc.coefficient[Tap][degree];
        unrolled<degree / 2>([&]<int I>() {
            even = even * square + sinc.coefficient[Tap][degree - 3 - 2 * I];
            odd = odd * square + sinc.coefficient[Tap][degree - 2 - 2 * I];
        });
        weight[Tap] = even + u * odd;
        weight[Taps - 1 - Tap] = even - u * odd;
    });
}

/// Weights of Taps + 1 cells for a fraction in [0, 2), counted from the first cell's base: cell m is tap m, or tap m -
/// 1 from 1 on. The end cells take part on one side of 1 only; here they go on smoothly beyond it.
template <int Taps>
CT_HOST_DEVICE void window_weights(const SincPolynomials<float>& sinc, float fraction, float (&weight)[Taps + 1]) {
    const bool beyond = fraction >= 1.0f;
    const float u = fraction - (beyond ? 1.5f : 0.5f);
    float tap[Taps];
    sinc_weights<Taps>(sinc, u, tap);
    const float before = sinc.weight(0, u + 1.0f);  // of the first cell, were it still a tap
    const float after = sinc.weight(0, 1.0f - u);   // of the last cell, were it one already
    weight[0] = beyond ? before : tap[0];
    weight[Taps] = beyond ? tap[Taps - 1] : after;
    unrolled<Taps - 1>([&]<int M>() { weight[M + 1] = beyond ? tap[M] : tap[M + 1]; });
}

/// exp(j 2 pi x) for x in 2^-32 cycles plus a small rest in cycles.
CT_HOST_DEVICE Complex64 phasor_of_binary_cycles(std::uint32_t cycles, float rest_cycles) {
    return unit_phasor<float>(static_cast<float>(static_cast<std::int32_t>(cycles)) * 0x1p-32f + rest_cycles);
}

/// Output k of a chunk whose first column is q columns into the tile: store(k, filter x interpolated sample). The
/// column's gain is left to others. load(cell) reads the cell counted from the tile's first.
template <int Taps, int Chunk, int Order>
struct MigrationWindow {
    Complex64 x[Chunk + Taps];
    Complex64 filter, filter_step;
    float weight[Taps + 1], step[Taps + 1], step_change[Order == 2 ? Taps + 1 : 1];
    int crossing;  // the column from which the next cell's taps apply

    /// Reads the window: columns q ... of the tile.
    template <class Load>
    CT_HOST_DEVICE void open(const TileLaw& law, const SincPolynomials<float>& sinc, int q, const Load& load) {
        constexpr float n = Chunk - 1;
        const float first_q = static_cast<float>(q), last_q = first_q + n;
        const float position = law.fraction + first_q * (law.slope + first_q * law.curvature);
        const float last_position = law.fraction + last_q * (law.slope + last_q * law.curvature);
        const float base = floorf(position);
        const float fraction = position - base, last_fraction = last_position - base;
        const int first_cell = q + law.cell + static_cast<int>(base);
        unrolled<Chunk + Taps>([&]<int M>() { x[M] = load(first_cell + M); });

        float last[Taps + 1];
        window_weights<Taps>(sinc, fraction, weight);
        window_weights<Taps>(sinc, last_fraction, last);
        if constexpr (Order == 1) {
            unrolled<Taps + 1>([&]<int M>() { step[M] = (last[M] - weight[M]) * (1.0f / n); });
        } else {
            float middle[Taps + 1];
            window_weights<Taps>(sinc, 0.5f * (fraction + last_fraction), middle);
            unrolled<Taps + 1>([&]<int M>() {
                const float c = (weight[M] - 2.0f * middle[M] + last[M]) * (2.0f / (n * n));
                step[M] = (last[M] - weight[M]) * (1.0f / n) - c * n + c;
                step_change[M] = 2.0f * c;
            });
        }
        const float per_column = (last_fraction - fraction) * (1.0f / n);
        crossing = last_fraction >= 1.0f ? static_cast<int>(ceilf((1.0f - fraction) / per_column)) : Chunk;

        const auto columns = static_cast<std::uint32_t>(q);
        const float growth = 1.0f + first_q * law.gain_step;
        filter = law.gain * growth *
                 phasor_of_binary_cycles(law.phase + columns * law.phase_step, first_q * first_q * law.phase_curvature);
        filter_step = (1.0f + law.gain_step / growth) *
                      phasor_of_binary_cycles(law.phase_step, (first_q + last_q) * law.phase_curvature);
    }

    template <class Store>
    CT_HOST_DEVICE void run(const Store& store) {
        // The migration is slow: mostly no thread of a warp crosses a cell.
        if (crossing >= Chunk)
            interpolate<false>(store);
        else
            interpolate<true>(store);
    }

private:
    template <bool Crosses, class Store>
    CT_HOST_DEVICE void interpolate(const Store& store) {
        constexpr int weights = Crosses ? Taps + 1 : Taps;
        unrolled<Chunk>([&]<int K>() {
            const bool crossed = Crosses && K >= crossing;
            const Complex64 end{crossed ? x[K + Taps].re : x[K].re, crossed ? x[K + Taps].im : x[K].im};
            const float end_weight = crossed ? weight[Taps] : weight[0];
            Complex64 sum{end_weight * end.re, end_weight * end.im};
            unrolled<Taps - 1>([&]<int M>() {
                sum.re += weight[M + 1] * x[K + M + 1].re;
                sum.im += weight[M + 1] * x[K + M + 1].im;
            });
            unrolled<weights>([&]<int M>() {
                weight[M] += step[M];
                if constexpr (Order == 2) step[M] += step_change[M];
            });
            store.template operator()<K>(filter * sum);
            filter = filter * filter_step;
        });
    }
};

}  // namespace cornerturn
