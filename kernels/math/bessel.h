// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cornerturn {

/// Modified Bessel function of the first kind and order zero, as Kaiser's window has it, for |x| of up to 700 (beyond,
/// it overflows). By its power series, all of whose terms are positive (Abramowitz & Stegun 1964, 9.6.12): within some
/// units in the last place, and faster than the standard library's, which knows any order.
inline double bessel_i0(double x) {
    const double quarter = 0.25 * x * x;
    double sum = 1, term = 1;
    for (int k = 1; term > 1e-17 * sum; ++k) {
        term *= quarter / (static_cast<double>(k) * k);
        sum += term;
    }
    return sum;
}

}  // namespace cornerturn
