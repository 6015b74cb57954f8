// SPDX-License-Identifier: Apache-2.0
// Interpolation with the least mean square error for a signal whose power spectrum is known (the Wiener filter of Bode
// & Shannon 1950 for samples without noise): a few taps less than a windowed sinc of the same error.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/math/banded_matrix.h"

namespace cornerturn {

/// Power over frequencies from 0 to half a cycle per cell and their negatives alike; at the middles of even steps up to
/// `highest`.
struct PowerOverFrequency {
    double highest = 0.5;  ///< cycles per cell
    std::vector<double> power;

    /// The same from 0 to `highest`, nothing beyond.
    static PowerOverFrequency flat(double highest);
};

/// Weights for the value at a fraction of a cell, from the cells -taps / 2 + 1 ... taps / 2 about it. Moment m gives
/// the signal after a filter whose response at frequency f is (f / highest)^m, for odd m without its factor j.
class OptimalInterpolation {
public:
    /// Throws std::logic_error for an odd number of taps.
    OptimalInterpolation(int taps, PowerOverFrequency spectrum);

    int taps() const { return taps_; }
    std::vector<double> weights(double fraction, int moment = 0) const;
    /// Mean square error over all fractions, of the mean power.
    double mean_square_error() const;
    /// Likewise of a signal at the edge of the band alone, which ends where the power falls below a thousandth.
    double error_at_edge() const;

private:
    double correlation(double cells, int moment) const;
    double error_at(double fraction) const;

    int taps_;
    PowerOverFrequency spectrum_;
    BandedMatrix correlations_;  ///< of the cells, factorised
};

/// Weights at even fractions, with their first and half their second derivative.
template <class Real>
class InterpolationTable {
public:
    static constexpr int fractions = 256;

    InterpolationTable() = default;
    explicit InterpolationTable(const OptimalInterpolation& interpolation);

    int taps() const { return taps_; }
    const Real* weights(int fraction) const { return weight_.data() + static_cast<std::size_t>(fraction * taps_); }
    const Real* slopes(int fraction) const { return slope_.data() + static_cast<std::size_t>(fraction * taps_); }
    const Real* bends(int fraction) const { return bend_.data() + static_cast<std::size_t>(fraction * taps_); }

private:
    int taps_ = 0;
    std::vector<Real> weight_, slope_, bend_;  ///< [fraction][tap], the last one is 1
};

}  // namespace cornerturn
