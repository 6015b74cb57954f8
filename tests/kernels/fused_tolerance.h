// SPDX-License-Identifier: Apache-2.0
// How far fused kernels may be from sums in double precision.
#pragma once

namespace cornerturn {

/// A transform errs by one or two units in the last place of the rms; 3e-7 was seen.
inline constexpr double fft_tolerance = 1e-6;
/// Of one rounding to halves: 2^-11 of a number at most, 2.1e-4 in the mean square.
inline constexpr double half_tolerance = 2.5e-4;

}  // namespace cornerturn
