// SPDX-License-Identifier: Apache-2.0
// EchoReader's rules for a whole line at a time, in loops without branches: swath by swath, zeros in between.
#pragma once

#include <algorithm>

#include "kernels/host/vector_clones.h"
#include "kernels/passes/decoding.h"

namespace cornerturn {

template <class Real, class Component>
CT_VECTOR_CLONES void load_swath(const EchoReader<Real, Component>& echo, std::int64_t line, Interval swath,
                                 Complex<Real>* to) {
    const Real gain = echo.gain(line);
    // Real and imaginary parts alike: pairs would keep the compiler from vector code.
    const auto* parts = &echo.row(line)->re;
    Real* decoded = &to->re;
    Real nothing = 0;  // times 0 only what is finite vanishes
#pragma omp simd reduction(+ : nothing)
    for (std::int64_t i = 2 * swath.first; i < 2 * swath.last; ++i) {
        const Real level = echo.level(parts[i]);
        decoded[i] = gain * level;
        nothing += level * 0;
    }
    if (nothing == 0) return;
    for (std::int32_t sample = swath.first; sample < swath.last; ++sample)
        to[sample] = echo.decoded(line, sample, gain);
}

/// Samples of a line, zeros behind them up to `length`.
template <class Real, class Component>
CT_VECTOR_CLONES void load_echo(const EchoReader<Real, Component>& echo, std::int64_t line, std::int64_t samples,
                                Complex<Real>* to, std::int64_t length) {
    const Interval all{0, static_cast<std::int32_t>(samples)};
    if (echo.intervals_per_line == 0) {
        load_swath(echo, line, all, to);
        std::fill(to + samples, to + length, Complex<Real>{});
        return;
    }
    std::fill_n(to, length, Complex<Real>{});
    for (int k = 0; k < echo.intervals_per_line; ++k) {
        const Interval swath = echo.valid_samples[line * echo.intervals_per_line + k];
        load_swath(echo, line, {std::max(swath.first, 0), std::min(swath.last, all.last)}, to);
    }
}

}  // namespace cornerturn
