// SPDX-License-Identifier: Apache-2.0
// Operations on packed rows that several passes share.
#pragma once

#include <cstdint>

#include "kernels/complex.h"

namespace cornerturn {

/// Copies rows into longer ones, zeros behind, or into shorter ones.
struct CopyRows {
    const Complex64* in;
    std::int64_t in_columns;
    Complex64* out;
    std::int64_t out_columns;

    __device__ void operator()(std::int64_t row, std::int64_t column) const {
        out[row * out_columns + column] = column < in_columns ? in[row * in_columns + column] : Complex64{0, 0};
    }
};

/// Multiplies spectra by the filter of a pass.
template <class Hooks>
struct FilterRows {
    Hooks hooks;
    std::int64_t first_line;
    std::int64_t bins;
    Complex64* spectra;

    __device__ void operator()(std::int64_t row, std::int64_t bin) const {
        Complex64& value = spectra[row * bins + bin];
        value = value * hooks.filter(first_line + row, bin);
    }
};

}  // namespace cornerturn
