// SPDX-License-Identifier: Apache-2.0
// Interpolation between cells of a row in shared memory, by a thread for each column.
#pragma once

#include <vector>

#include "kernels/cuda/launch/unrolled.h"
#include "kernels/math/chebyshev.h"
#include "kernels/math/complex.h"
#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// Cells of a row in shared memory. Where columns lie two cells apart, even and odd cells lie apart, so that threads of
/// a warp read from different banks.
template <int Planes>
struct SharedCells {
    const Complex64 *even, *odd;  ///< from a cell on: what lies an even and an odd number behind it

    CT_HOST_DEVICE SharedCells(const Complex64* row, int room, int cell) {
        if constexpr (Planes == 1) {
            even = odd = row + cell;
        } else {
            const int plane = room / 2;
            even = row + ((cell & 1) != 0 ? plane : 0) + cell / 2;
            odd = row + ((cell & 1) != 0 ? 1 : plane) + cell / 2;
        }
    }
    template <int Number>
    CT_HOST_DEVICE Complex64 at() const {
        if constexpr (Planes == 1) return even[Number];
        return (Number % 2 == 0 ? even : odd)[Number / 2];
    }
    /// Where a cell is put.
    static CT_HOST_DEVICE int place(int room, int cell) {
        return Planes == 1 ? cell : (cell & 1) * (room / 2) + cell / 2;
    }
    /// Room for so many: half a row of banks between its planes.
    static CT_HOST_DEVICE int room_for(int cells) { return (cells + 31) / 32 * 32 + 16; }
};

/// Interpolation along range: weights are polynomials of the place between two cells, which leaves less than -94 dB.
/// Taps that mirror each other share their even and odd parts. Taps beyond those of the interpolation, as many on
/// either side, have weight zero.
template <int Taps>
struct TapPolynomials {
    static constexpr int terms = Taps > 10 ? 5 : 4;  // where a band nearly fills the cells there are many taps
    float even[Taps / 2][terms], odd[Taps / 2][terms];

    /// What a tap of the first half and the one that mirrors it count.
    struct Pair {
        float first, last;
    };
    template <int Tap>
    CT_HOST_DEVICE Pair pair(float place) const {
        const float square = place * place, alike = along(even[Tap], square), other = place * along(odd[Tap], square);
        return {alike + other, alike - other};
    }
    /// Of Taps cells, at a place between the two in their middle, from -1/2 to 1/2.
    template <class Cells>
    CT_HOST_DEVICE Complex64 at(float place, const Cells& cells) const {
        Complex64 sum{0, 0};
        unrolled<Taps / 2>([&]<int J>() {
            const auto [first, last] = pair<J>(place);
            const Complex64 a = cells.template at<J>(), b = cells.template at<Taps - 1 - J>();
            sum = {sum.re + first * a.re + last * b.re, sum.im + first * a.im + last * b.im};
        });
        return sum;
    }

private:
    static CT_HOST_DEVICE float along(const float (&term)[terms], float square) {
        float sum = term[terms - 1];
        unrolled<terms - 1>([&]<int K>() { sum = sum * square + term[terms - 2 - K]; });
        return sum;
    }
};
template <int Taps>
TapPolynomials<Taps> tap_polynomials(const OptimalInterpolation& interpolation, int moment = 0) {
    TapPolynomials<Taps> made{};
    constexpr int terms = 2 * TapPolynomials<Taps>::terms;
    const int beyond = (Taps - interpolation.taps()) / 2;
    const PowersThrough through(terms);
    std::vector<std::vector<double>> weights;
    for (const double fraction : chebyshev_points(0, 1, terms))
        weights.push_back(interpolation.weights(fraction, moment));
    for (int tap = 0; tap < interpolation.taps() / 2; ++tap) {
        double value[terms], power[terms], scale = 1;
        for (int i = 0; i < terms; ++i) value[i] = weights[static_cast<std::size_t>(i)][static_cast<std::size_t>(tap)];
        through(value, power);
        for (int i = 0; i < terms; ++i, scale *= 2)  // from -1 to 1 there
            (i % 2 == 0 ? made.even : made.odd)[beyond + tap][i / 2] = static_cast<float>(power[i] * scale);
    }
    return made;
}

}  // namespace cornerturn
