// SPDX-License-Identifier: Apache-2.0
// Roots of unity W_n^k = exp(-j 2 pi k / n): as constants of the compiler, and as tables of twiddle factors.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/math/complex.h"

namespace cornerturn {

namespace roots {

/// sin(2 pi x) for |x| <= 1/4, by its series; for the compiler only.
constexpr double sine_of_cycles(double x) {
    const double angle = 6.283185307179586476925286766559 * x;
    double term = angle, sum = angle;
    for (int k = 1; k < 16; ++k) {
        term *= -angle * angle / (2.0 * k * (2.0 * k + 1.0));
        sum += term;
    }
    return sum;
}

constexpr double sine_of_fraction(long long k, long long n) {
    k = ((k % n) + n) % n;
    const double x = static_cast<double>(k) / static_cast<double>(n);
    if (4 * k <= n) return sine_of_cycles(x);
    if (4 * k <= 3 * n) return sine_of_cycles(static_cast<double>(n - 2 * k) / static_cast<double>(2 * n));
    return sine_of_cycles(static_cast<double>(k - n) / static_cast<double>(n));
}

template <int K, int N>
inline constexpr float cosine = static_cast<float>(sine_of_fraction(4LL * K + N, 4LL * N));
template <int K, int N>
inline constexpr float minus_sine = static_cast<float>(-sine_of_fraction(K, N));

}  // namespace roots

/// W_N^K
template <int K, int N>
CT_HOST_DEVICE Complex64 root() {
    constexpr float re = roots::cosine<K, N>, im = roots::minus_sine<K, N>;
    return {re, im};
}

/// Input factor w of a butterfly, whose input r is multiplied by w^r. Two powers are kept: squaring from them loses no
/// digit that counts.
struct alignas(16) Twiddle {
    Complex64 w;
    Complex64 w4;  ///< w^4
};

/// For w = exp(-j 2 pi k / n).
inline Twiddle twiddle(std::int64_t k, std::int64_t n) {
    const auto power = [&](std::int64_t p) {
        const double angle =
            -6.283185307179586476925286766559 * static_cast<double>(p * k % n) / static_cast<double>(n);
        return Complex64{static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
    };
    return {power(1), power(4)};
}

/// For w = exp(-j 2 pi k / n), k = 0 ... count - 1.
inline std::vector<Twiddle> twiddles(std::int64_t count, std::int64_t n) {
    std::vector<Twiddle> table;
    for (std::int64_t k = 0; k < count; ++k) table.push_back(twiddle(k, n));
    return table;
}

}  // namespace cornerturn
