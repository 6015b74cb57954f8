// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/fast_length.h"

#include <gtest/gtest.h>

namespace cornerturn {
namespace {

TEST(FastLength, IsTheNextSmoothMultipleOf32) {
    EXPECT_EQ(fast_length(1), 32);
    EXPECT_EQ(fast_length(4096), 4096);
    EXPECT_EQ(fast_length(4097), 4320);  // 2^5 * 3^3 * 5
    EXPECT_EQ(fast_length(5446), 5760);  // 2^7 * 3^2 * 5
    for (std::int64_t length = 1; length < 20000; length += 37) {
        std::int64_t rest = fast_length(length);
        EXPECT_GE(rest, length);
        EXPECT_LE(rest, length + length / 8 + 64);
        EXPECT_EQ(rest % 32, 0);
        for (int prime : {2, 3, 5})
            while (rest % prime == 0) rest /= prime;
        EXPECT_EQ(rest, 1);
    }
}

}  // namespace
}  // namespace cornerturn
