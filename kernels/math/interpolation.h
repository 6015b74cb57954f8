// SPDX-License-Identifier: Apache-2.0
// Windowed-sinc interpolation. The weights are polynomials of the fraction of a cell (Farrow form), so that every back
// end evaluates them without tables or transcendental functions.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/math/complex.h"

namespace cornerturn {

/// Kaiser-windowed sinc of an even number of taps for a signal that fills `band` of the sample rate.
struct SincKernel {
    int taps = 16;      ///< even
    double beta = 0;    ///< Kaiser parameter
    double band = 0.9;  ///< bandwidth / sample rate that beta was chosen for

    /// Chooses beta so that the mean square interpolation error over the band is least, with the mean response
    /// corrected (see MeanResponse). Throws std::logic_error for a number of taps other than 8, 12, 16 or a band
    /// outside (0, 1].
    static SincKernel for_band(int taps, double band);

    /// Weight of the sample at a signed distance in cells.
    double weight(double distance_cells) const;
};

/// Frequency response of a kernel, averaged over the fraction of a cell. Dividing the range filter by it takes the
/// droop at the band edges away and leaves only the part of the error that changes with the fraction.
class MeanResponse {
public:
    explicit MeanResponse(const SincKernel& kernel);
    /// At a frequency in cycles per cell; real, because fractions x and 1 - x mirror each other.
    double operator()(double frequency) const;

private:
    struct Tap {
        double distance_cells;
        double weight;
    };
    std::vector<Tap> taps_;
};

/// Weights of two taps that lie at equal distances left and right of the middle of a cell.
template <class Real>
struct TapPair {
    Real left, right;
};
template <class Real>
CT_HOST_DEVICE Complex<Real> weighted(TapPair<Real> weight, Complex<Real> left, Complex<Real> right) {
    return weight.left * left + weight.right * right;
}

/// Reads cell position p from cells base - taps/2 + 1 ... base + taps/2, base = floor(p), with weights that are
/// polynomials in u = p - base - 1/2.
template <class Real>
struct SincPolynomials {
    static constexpr int degree = sizeof(Real) == 4 ? 9 : 17;  ///< error below 2e-7 in float, 1e-14 in double
    static constexpr int max_taps = 16;
    int taps = 0;
    Real coefficient[max_taps][degree + 1] = {};  ///< [tap][power]

    CT_HOST_DEVICE Real weight(int tap, Real u) const {
        Real value = coefficient[tap][degree];
        for (int power = degree - 1; power >= 0; --power) value = value * u + coefficient[tap][power];
        return value;
    }

    /// Of a tap in the left half and of its mirror image, taps - 1 - tap: as the kernel is even, the mirror's
    /// polynomial is that of -u.
    CT_HOST_DEVICE TapPair<Real> mirrored(int tap, Real u) const {
        const Real square = u * u;
        Real even = coefficient[tap][degree - 1], odd = coefficient[tap][degree];
        for (int power = degree - 3; power >= 0; power -= 2) {
            even = even * square + coefficient[tap][power];
            odd = odd * square + coefficient[tap][power + 1];
        }
        return {even + u * odd, even - u * odd};
    }
};

/// Fits the polynomials to a kernel at Chebyshev nodes.
template <class Real>
SincPolynomials<Real> polynomials(const SincKernel& kernel);

/// Calls f with std::integral_constant of a number of taps that is there.
template <class F>
decltype(auto) with_taps(int taps, F&& f) {
    switch (taps) {
        case 8: return f(std::integral_constant<int, 8>{});
        case 12: return f(std::integral_constant<int, 12>{});
        case 16: return f(std::integral_constant<int, 16>{});
    }
    throw std::logic_error("interpolation with " + std::to_string(taps) + " taps; 8, 12 and 16 are there");
}

}  // namespace cornerturn
