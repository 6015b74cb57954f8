// SPDX-License-Identifier: Apache-2.0
// The only place where a phase becomes a complex number.
#pragma once

#include <cmath>
#include <complex>

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

template <>
CT_HOST_DEVICE Complex<float> unit_phasor<float>(double cycles) {
    const float quarters = static_cast<float>(4.0 * (cycles - std::rint(cycles)));  // [-2, 2]
    const float quadrant = std::rint(quarters);
    const float x = quarters - quadrant;  // [-1/2, 1/2] quarters of a cycle, exact
    const float z = x * x;
    // Minimax polynomials of sin and cos of x * pi / 2.
    const float sine =
        x * (1.57079632e+00f +
             z * (-6.45964093e-01f + z * (7.96896790e-02f + z * (-4.67376600e-03f + z * 1.51485129e-04f))));
    const float cosine =
        1.0f + z * (-1.23370055e+00f +
                    z * (2.53669507e-01f + z * (-2.08634768e-02f + z * (9.18985138e-04f + z * -2.46e-05f))));
    const int whole_quarters = static_cast<int>(quadrant);
    const bool swap = (whole_quarters & 1) != 0;
    const float c = swap ? sine : cosine;
    const float s = swap ? cosine : sine;
    return {((whole_quarters + 1) & 2) != 0 ? -c : c, (whole_quarters & 2) != 0 ? -s : s};
}

/// The same for what computes on the host with the standard library's numbers.
inline std::complex<double> std_phasor(double cycles) {
    const Complex128 value = unit_phasor<double>(cycles);
    return {value.re, value.im};
}

}  // namespace cornerturn
