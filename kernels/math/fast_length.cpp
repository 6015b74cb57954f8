// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/fast_length.h"

#include <algorithm>

namespace cornerturn {
namespace {

constexpr std::int64_t granularity = 32;

bool is_fast(std::int64_t n) {
    for (std::int64_t prime : {2, 3, 5})
        while (n % prime == 0) n /= prime;
    return n == 1;
}

}  // namespace

std::int64_t fast_length(std::int64_t length) {
    std::int64_t n = (std::max<std::int64_t>(length, 1) + granularity - 1) / granularity * granularity;
    while (!is_fast(n)) n += granularity;
    return n;
}

}  // namespace cornerturn
