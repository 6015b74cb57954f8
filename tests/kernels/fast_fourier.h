// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of whole lines in double precision, and samples as a GPU has them.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "kernels/math/complex.h"
#include "tests/kernels/every_device.h"
#include "tests/kernels/fourier_sum.h"

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

inline Line fast_fourier(const Line& x, int sign) { return fast_fourier(x, static_cast<std::int64_t>(x.size()), sign); }

}  // namespace cornerturn
