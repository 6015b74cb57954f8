// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/banded_matrix.h"

#include <algorithm>
#include <cmath>

namespace cornerturn {

bool BandedMatrix::factorise() {
    bool positive = true;
    for (std::int64_t i = 0; i < size_; ++i) {
        const std::int64_t from = std::max<std::int64_t>(0, i - band_);
        for (std::int64_t j = from; j <= i; ++j) {
            double sum = at(i, j);
            const double *row_i = &at(i, from), *row_j = j > from ? &at(j, from) : nullptr;
            for (std::int64_t k = 0; k < j - from; ++k) sum -= row_i[k] * row_j[k];
            if (i == j && !(sum > 0)) positive = false;
            at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
        }
    }
    return positive;
}

void BandedMatrix::solve(std::span<double> b) const {
    for (std::int64_t i = 0; i < size_; ++i) {
        double sum = b[static_cast<std::size_t>(i)];
        for (std::int64_t k = std::max<std::int64_t>(0, i - band_); k < i; ++k)
            sum -= at(i, k) * b[static_cast<std::size_t>(k)];
        b[static_cast<std::size_t>(i)] = sum / at(i, i);
    }
    for (std::int64_t i = size_; i-- > 0;) {
        double sum = b[static_cast<std::size_t>(i)];
        for (std::int64_t k = i + 1; k < std::min(size_, i + band_ + 1); ++k)
            sum -= at(k, i) * b[static_cast<std::size_t>(k)];
        b[static_cast<std::size_t>(i)] = sum / at(i, i);
    }
}

}  // namespace cornerturn
