// SPDX-License-Identifier: Apache-2.0
// The only place where a phase becomes a complex number.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>

#include "kernels/math/complex.h"

namespace cornerturn {

/// exp(j 2 pi cycles). The whole cycles are dropped in double, so that 1e8 cycles cost no accuracy; error below 1.5e-7
/// in float. Straight-line code without calls or branches, which compilers turn into vector code.
template <class Real>
CT_HOST_DEVICE Complex<Real> unit_phasor(double cycles);

template <>
CT_HOST_DEVICE Complex<double> unit_phasor<double>(double cycles) {
    constexpr double two_pi = 6.283185307179586476925286766559;
    const double angle = two_pi * (cycles - std::rint(cycles));
    return {std::cos(angle), std::sin(angle)};
}

/// Minimax polynomials of sin and cos of pi x for x in [-1/2, 1/2], exact at its ends and in its middle. `Floats`: a
/// float or a vector of them.
template <class Floats>
CT_HOST_DEVICE Floats sine_of_half_cycles(Floats x) {
    const Floats z = x * x;
    return x * (3.1415925f + z * (-5.1677065f + z * (2.550031f + z * (-0.59804446f + z * 0.07722019f))));
}
template <class Floats>
CT_HOST_DEVICE Floats cosine_of_half_cycles(Floats x) {
    const Floats z = x * x;
    return (1.0f - 4.0f * z) * (1.0f + z * (-0.9348018f + z * (0.3195009f + z * (-0.05721038f + z * 0.006099196f))));
}

/// Changes the sign where the last bit of `half_cycles` is set.
CT_HOST_DEVICE float turned_by(std::uint32_t half_cycles, float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits ^= half_cycles << 31;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <>
CT_HOST_DEVICE Complex<float> unit_phasor<float>(double cycles) {
    // The nearest whole number stands in the last bits of a sum with this, and is the sum less this.
    constexpr double to_whole = 6755399441055744.0;  // 1.5 * 2^52
    const double half_cycles = 2.0 * cycles, shifted = half_cycles + to_whole;
    const float x = static_cast<float>(half_cycles - (shifted - to_whole));
    std::uint64_t whole;
    std::memcpy(&whole, &shifted, sizeof whole);
    const auto parity = static_cast<std::uint32_t>(whole);
    return {turned_by(parity, cosine_of_half_cycles(x)), turned_by(parity, sine_of_half_cycles(x))};
}

/// The same of few cycles, which are dropped in single precision.
CT_HOST_DEVICE Complex<float> phasor_of_few(float cycles) {
    constexpr float to_whole = 12582912.0f;  // 1.5 * 2^23
    const float half_cycles = 2 * cycles, shifted = half_cycles + to_whole, x = half_cycles - (shifted - to_whole);
    std::uint32_t whole;
    std::memcpy(&whole, &shifted, sizeof whole);
    return {turned_by(whole, cosine_of_half_cycles(x)), turned_by(whole, sine_of_half_cycles(x))};
}

/// The same for what computes on the host with the standard library's numbers.
inline std::complex<double> std_phasor(double cycles) {
    const Complex128 value = unit_phasor<double>(cycles);
    return {value.re, value.im};
}

}  // namespace cornerturn
