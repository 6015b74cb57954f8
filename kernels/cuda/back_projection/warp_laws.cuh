// SPDX-License-Identifier: Apache-2.0
// Laws of factorised back-projection about the columns of a warp: what threads compute fits into single precision about
// the middle of their warp.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/cuda/launch/unrolled.h"
#include "kernels/math/chebyshev.h"
#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// Terms of laws, over rows and along them.
struct LawTerms {
    int rows, columns;
    CT_HOST_DEVICE std::int64_t points() const { return static_cast<std::int64_t>(rows) * columns; }
};
/// A power of a law's polynomial along a row.
CT_HOST_DEVICE double power_along(const LawTerms& terms, const double* law, int power, double row_part) {
    return power < terms.columns ? polynomial(law + power * terms.rows, terms.rows, row_part) : 0.0;
}
template <int Terms>
CT_HOST_DEVICE double law_at(const double* powers, double part) {
    double sum = 0;
    unrolled<Terms>([&]<int K>() { sum = sum * part + powers[Terms - 1 - K]; });
    return sum;
}

/// Threads of a block, each with a column of its own, and the columns of a warp.
inline constexpr int factor_threads = 128, warp_columns = 32, factor_warps = factor_threads / warp_columns,
                     half_warp = warp_columns / 2;

/// Of a warp's columns, from -1 to 1 about its middle.
CT_HOST_DEVICE float place_in_warp(int lane) {
    return static_cast<float>(lane - half_warp) * (1.0f / static_cast<float>(half_warp));
}

/// Whether a thread's warp has none of a block's columns.
template <class Block>
CT_HOST_DEVICE bool warp_is_empty(const Block& block, IndexRange columns) {
    return columns.first + block.thread().x / warp_columns * warp_columns >= columns.last;
}

/// Where the columns of a warp arrive on a row: the polynomials along it, over -1 to 1 about the warp's middle. What
/// goes from column to column there is small enough for single precision.
template <int Terms>
struct alignas(16) WarpLaws {
    float first_place, last_place;  ///< of the warp's columns that the laws are for
    int first_tap;                  ///< number of the cell about which `of_cell` counts
    float term[2][Terms];           ///< of the cell, from half a cell before on, and of the cycles, but whole ones

    static constexpr int of_cell = 0, of_cycles = 1;
    /// From powers along the row, of which these are about the middle over half a warp. Whole cells go into
    /// `first_tap`, from `origin` on.
    CT_HOST_DEVICE void set(int law, const double* powers, double about, double half, double origin) {
        double local[Terms], scale = 1;
        unrolled<Terms>([&]<int K>() { local[K] = powers[K]; });
        // Horner's scheme, again and again.
        unrolled<Terms - 1>([&]<int I>() {
            unrolled<Terms - 1 - I>([&]<int K>() { local[Terms - 2 - K] += about * local[Terms - 1 - K]; });
        });
        unrolled<Terms>([&]<int K>() { local[K] *= scale, scale *= half; });
        // Whole cycles from column to column are none.
        if (law == of_cycles) local[1] -= half_warp * std::rint(local[1] / half_warp);
        const double whole = law == of_cell ? std::floor(local[0]) : std::rint(local[0]);
        local[0] -= law == of_cell ? whole + 0.5 : whole;
        unrolled<Terms>([&]<int K>() { term[law][K] = static_cast<float>(local[K]); });
        if (law == of_cell) first_tap = static_cast<int>(whole - origin);
    }
    /// No column is.
    CT_HOST_DEVICE void clear() {
        first_place = last_place = 2;
        first_tap = 0;
        unrolled<2 * Terms>([&]<int K>() { term[K / Terms][K % Terms] = 0; });
    }
    template <int Law>
    CT_HOST_DEVICE float at(float place) const {
        float sum = term[Law][Terms - 1];
        unrolled<Terms - 1>([&]<int K>() { sum = sum * place + term[Law][Terms - 2 - K]; });
        return sum;
    }
};

}  // namespace cornerturn
