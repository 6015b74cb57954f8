// SPDX-License-Identifier: Apache-2.0
// Phase over slow time from many targets. Each target gives it over its own aperture, but for an unknown constant
// and slope (its phase and its place). One least-squares fit of all targets joins overlapping apertures along the
// strip.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cornerturn {

/// Symmetric positive definite, values only within a band about the diagonal.
class BandedMatrix {
public:
    BandedMatrix(std::int64_t size, std::int64_t band)
        : size_(size), band_(band), values_(static_cast<std::size_t>(size * (band + 1))) {}
    std::int64_t size() const { return size_; }
    std::int64_t band() const { return band_; }
    /// Row `i`, column `j` with i - band <= j <= i.
    double& at(std::int64_t i, std::int64_t j) {
        return values_[static_cast<std::size_t>(i * (band_ + 1) + j - i + band_)];
    }
    double at(std::int64_t i, std::int64_t j) const {
        return values_[static_cast<std::size_t>(i * (band_ + 1) + j - i + band_)];
    }
    /// In place of it the L of A = L L^T (Cholesky). Throws std::logic_error where it is not positive definite.
    void factorise();
    /// A x = b, of a matrix that was factorised.
    std::vector<double> solve(std::vector<double> b) const;

private:
    std::int64_t size_, band_;
    std::vector<double> values_;
};

/// Values at `knots` places of which targets see at most `widest` neighbours.
class StripEquations {
public:
    StripEquations(std::int64_t knots, std::int64_t widest)
        : matrix_(knots, widest), right_(static_cast<std::size_t>(knots)) {}

    /// The target sees `values` at places from `first` on, with these weights, but for a constant and a slope.
    void add(std::int64_t first, std::span<const double> weights, std::span<const double> values);
    /// Where no target sees anything the phase goes on straight: `strength` x (second difference)^2.
    void add_smoothness(double strength);
    std::vector<double> solve();
    BandedMatrix& matrix() { return matrix_; }

private:
    BandedMatrix matrix_;
    std::vector<double> right_;
};

}  // namespace cornerturn
