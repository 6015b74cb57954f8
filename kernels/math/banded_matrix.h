// SPDX-License-Identifier: Apache-2.0
// Linear equations whose matrix is symmetric and positive definite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cornerturn {

/// Symmetric positive definite, values only within a band about the diagonal; with a band of size - 1, a full matrix.
class BandedMatrix {
public:
    BandedMatrix(std::int64_t size, std::int64_t band)
        : size_(size), band_(band), values_(static_cast<std::size_t>(size * (band + 1))) {}
    std::int64_t size() const { return size_; }
    /// Row `i`, column `j` with i - band <= j <= i.
    double& at(std::int64_t i, std::int64_t j) {
        return values_[static_cast<std::size_t>(i * (band_ + 1) + j - i + band_)];
    }
    double at(std::int64_t i, std::int64_t j) const {
        return values_[static_cast<std::size_t>(i * (band_ + 1) + j - i + band_)];
    }
    /// In place of it the L of A = L L^T (Cholesky). False where it is not positive definite: L is then not finite.
    bool factorise();
    /// In place of b the x of A x = b, of a matrix that was factorised.
    void solve(std::span<double> b) const;

private:
    std::int64_t size_, band_;
    std::vector<double> values_;
};

}  // namespace cornerturn
