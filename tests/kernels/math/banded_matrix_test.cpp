// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/banded_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace cornerturn {
namespace {

TEST(BandedMatrix, SolvesWhatADenseOneWould) {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> even(-1, 1);
    for (const std::int64_t size : {1, 2, 7, 40})
        for (const std::int64_t band : {0, 1, 3, 60}) {
            BandedMatrix matrix(size, band);
            for (std::int64_t i = 0; i < size; ++i)
                for (std::int64_t j = std::max<std::int64_t>(0, i - band); j <= i; ++j)
                    matrix.at(i, j) = i == j ? 2.0 + 2.0 * static_cast<double>(std::min(size, band)) : even(random);
            std::vector<double> x(static_cast<std::size_t>(size)), b(x.size());
            for (double& value : x) value = even(random);
            for (std::int64_t i = 0; i < size; ++i)
                for (std::int64_t j = 0; j < size; ++j)
                    if (std::abs(i - j) <= band)
                        b[static_cast<std::size_t>(i)] +=
                            matrix.at(std::max(i, j), std::min(i, j)) * x[static_cast<std::size_t>(j)];
            EXPECT_TRUE(matrix.factorise());
            matrix.solve(b);
            for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(b[i], x[i], 1e-12) << size << ' ' << band;
        }
    BandedMatrix singular(2, 1);
    EXPECT_FALSE(singular.factorise());
}

}  // namespace
}  // namespace cornerturn
