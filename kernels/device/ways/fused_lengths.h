// SPDX-License-Identifier: Apache-2.0
// Transform lengths for which fused GPU kernels exist; known without a GPU, so that scenes can be planned anywhere.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace cornerturn {

/// Along a line: 2^n, 3 2^n and 5 2^n that a block of threads can hold, where it has shared memory enough
/// (fitting_kernels.h).
inline constexpr std::array<std::int64_t, 14> fused_line_lengths{1024, 1536, 2048,  2560,  3072,  4096,  5120,
                                                                 6144, 8192, 10240, 12288, 16384, 20480, 24576};
/// The same where the line is range-compressed: those that a block does not hold go through three kernels.
inline constexpr std::array<std::int64_t, 28> fused_range_lengths{
    1024,  1536,  2048,  2560,  3072,  4096,  5120,  6144,  8192,  10240, 12288, 16384,  20480,  24576,
    30720, 32768, 36864, 40960, 49152, 51200, 61440, 65536, 73728, 81920, 98304, 102400, 122880, 131072};
/// Down a column of a matrix that is not turned: 32 times 2^n, 3 2^n and 5 2^n.
inline constexpr std::array<std::int64_t, 15> turn_free_lengths{1024, 1536,  2048,  2560,  3072,  4096,  5120, 6144,
                                                                8192, 10240, 12288, 16384, 20480, 24576, 32768};

/// The least of `lengths` that is not below `length` and that fits(it); nullopt where there is none.
template <std::size_t Count, class Fits>
constexpr std::optional<std::int64_t> least_of(const std::array<std::int64_t, Count>& lengths, std::int64_t length,
                                               const Fits& fits) {
    for (const std::int64_t candidate : lengths)
        if (candidate >= length && fits(candidate)) return candidate;
    return std::nullopt;
}
template <std::size_t Count>
constexpr std::optional<std::int64_t> least_of(const std::array<std::int64_t, Count>& lengths, std::int64_t length) {
    return least_of(lengths, length, [](std::int64_t) { return true; });
}

}  // namespace cornerturn
