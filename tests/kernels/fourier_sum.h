// SPDX-License-Identifier: Apache-2.0
// The Fourier transform as a plain sum.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/math/complex.h"
#include "tests/support/phasor.h"

namespace cornerturn {

using Line = std::vector<std::complex<double>>;
using LineView = std::span<const std::complex<double>>;

inline std::complex<double> as_std(Complex<double> value) { return {value.re, value.im}; }

/// Unnormalised sum over n of x[n] exp(sign j 2 pi k n / N), zeros behind x.
inline Line fourier_sum(LineView x, std::int64_t length, int sign) {
    Line roots(static_cast<std::size_t>(length)), result(roots.size());
    for (std::size_t i = 0; i < roots.size(); ++i)
        roots[i] = phasor(sign * static_cast<double>(i) / static_cast<double>(length));
    for (std::size_t k = 0; k < result.size(); ++k)
        for (std::size_t n = 0; n < x.size(); ++n) result[k] += x[n] * roots[k * n % roots.size()];
    return result;
}

}  // namespace cornerturn
