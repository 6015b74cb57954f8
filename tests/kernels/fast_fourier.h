// SPDX-License-Identifier: Apache-2.0
// Long Fourier transforms in double precision, for tests, and samples as a GPU has them.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "kernels/math/complex.h"
#include "tests/kernels/every_device.h"
#include "tests/kernels/fourier_sum.h"
#include "tests/support/phasor.h"

namespace cornerturn {

inline std::vector<Complex64> as_floats(const Samples& samples) {
    std::vector<Complex64> floats;
    for (const auto& s : samples) floats.push_back({static_cast<float>(s.real()), static_cast<float>(s.imag())});
    return floats;
}

inline Samples as_doubles(const std::vector<Complex64>& floats) {
    Samples samples;
    for (const auto& f : floats) samples.emplace_back(f.re, f.im);
    return samples;
}

/// Fast enough for long lines; itself checked against the plain sum.
inline Line fast_fourier(Line x, int sign) {
    const std::size_t n = x.size();
    std::size_t factor = 2;
    while (factor * factor <= n && n % factor != 0) ++factor;
    if (n % factor != 0 || factor == n) return fourier_sum(x, static_cast<std::int64_t>(n), sign);
    const std::size_t m = n / factor;
    std::vector<Line> part(factor, Line(m));
    for (std::size_t i = 0; i < n; ++i) part[i % factor][i / factor] = x[i];
    for (auto& p : part) p = fast_fourier(p, sign);
    Line result(n);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t r = 0; r < factor; ++r)
            result[k] += part[r][k % m] * phasor(sign * static_cast<double>(r * k % n) / static_cast<double>(n));
    return result;
}

}  // namespace cornerturn
