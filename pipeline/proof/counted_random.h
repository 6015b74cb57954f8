// SPDX-License-Identifier: Apache-2.0
// Random numbers by their place in a sequence, so that it does not matter who computes them, and when.
#pragma once

#include <cstdint>
#include <string_view>

namespace cornerturn {

/// The splitmix64 generator (Steele, Lea, Flood 2014) as a hash of its counter.
inline std::uint64_t mix(std::uint64_t x) {
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
/// What the numbers are for: those of one seed for two purposes have nothing in common.
constexpr std::uint64_t purpose(std::string_view word) {
    std::uint64_t letters = 0;
    for (const char letter : word) letters = letters << 8 | static_cast<unsigned char>(letter);
    return letters;
}
/// [0, 1)
inline double unit(std::uint64_t x) { return static_cast<double>(x >> 11) * 0x1p-53; }

}  // namespace cornerturn
