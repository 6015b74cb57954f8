// SPDX-License-Identifier: Apache-2.0
// The tests' own phasor, by the standard library: nothing of what is tested.
#pragma once

#include <complex>
#include <numbers>

namespace cornerturn {

/// exp(j 2 pi cycles).
inline std::complex<double> phasor(double cycles) { return std::polar(1.0, 2 * std::numbers::pi * cycles); }

}  // namespace cornerturn
