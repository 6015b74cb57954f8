// SPDX-License-Identifier: Apache-2.0
// The Fourier transform in double precision: as a plain sum, and the fast one that is checked against it.
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

/// exp(sign j 2 pi i / length) for each i.
inline Line unit_roots(std::int64_t length, int sign) {
    Line roots(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < roots.size(); ++i)
        roots[i] = phasor(sign * static_cast<double>(i) / static_cast<double>(length));
    return roots;
}

/// Unnormalised sum over n of x[n] exp(sign j 2 pi k n / N), zeros behind x.
inline Line fourier_sum(LineView x, std::int64_t length, int sign) {
    const Line roots = unit_roots(length, sign);
    Line result(roots.size());
    for (std::size_t k = 0; k < result.size(); ++k)
        for (std::size_t n = 0; n < x.size(); ++n) result[k] += x[n] * roots[k * n % roots.size()];
    return result;
}

/// Of `n` samples that lie `stride` apart: the transforms of the parts of a factor, put together by the roots of all.
inline Line fast_fourier(const std::complex<double>* x, std::size_t n, std::size_t stride, const Line& roots) {
    std::size_t factor = 2;
    while (factor * factor <= n && n % factor != 0) ++factor;
    if (n % factor != 0) factor = n;
    const std::size_t m = n / factor;
    std::vector<Line> part;
    for (std::size_t r = 0; r < factor; ++r)
        part.push_back(m == 1 ? Line{x[r * stride]} : fast_fourier(x + r * stride, m, stride * factor, roots));
    Line result(n);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t r = 0; r < factor; ++r) result[k] += part[r][k % m] * roots[r * k % n * stride];
    return result;
}

/// The same by fewer operations where the length has factors; itself checked against the plain sum.
inline Line fast_fourier(LineView x, std::int64_t length, int sign) {
    Line padded(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < x.size(); ++i) padded[i % padded.size()] += x[i];
    return fast_fourier(padded.data(), padded.size(), 1, unit_roots(length, sign));
}

}  // namespace cornerturn
