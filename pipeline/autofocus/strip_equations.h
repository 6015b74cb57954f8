// SPDX-License-Identifier: Apache-2.0
// Phase over slow time from many targets. Each target gives it over its own aperture, but for an unknown constant
// and slope (its phase and its place). One least-squares fit of all targets joins overlapping apertures along the
// strip.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/math/banded_matrix.h"

namespace cornerturn {

/// Values at `knots` places of which targets see at most `widest` neighbours.
class StripEquations {
public:
    StripEquations(std::int64_t knots, std::int64_t widest)
        : matrix_(knots, widest), right_(static_cast<std::size_t>(knots)) {}

    /// The target sees `values` at places from `first` on, with these weights, but for a constant and a slope.
    void add(std::int64_t first, std::span<const double> weights, std::span<const double> values);
    /// Where no target sees anything the phase goes on straight: `strength` x (second difference)^2.
    void add_smoothness(double strength);
    /// Throws std::logic_error where they do not determine the phase.
    std::vector<double> solve();
    BandedMatrix& matrix() { return matrix_; }

private:
    BandedMatrix matrix_;
    std::vector<double> right_;
};

}  // namespace cornerturn
