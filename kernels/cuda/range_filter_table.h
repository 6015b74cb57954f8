// SPDX-License-Identifier: Apache-2.0
// The filter of range compression in the precision of a GPU, and in its memory.
#pragma once

#include <cmath>
#include <vector>

#include "kernels/complex.h"
#include "kernels/cuda/memory.h"
#include "kernels/passes/range_compression.h"

namespace cornerturn {

inline std::vector<Complex64> range_filter(const RangeCompression& pass) { return as_complex<float>(pass.filter()); }

/// Largest modulus behind the filter that an echo of components up to 1 can have: by Parseval and Schwarz the norm of
/// the filter times that of the spectrum, N sqrt(2).
inline float growth_of(const RangeCompression& pass) {
    double square = 0;
    for (const auto& value : pass.filter()) square += std::norm(value);
    return static_cast<float>(std::sqrt(2 * square) * static_cast<double>(pass.fft_length));
}

}  // namespace cornerturn
