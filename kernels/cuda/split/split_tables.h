// SPDX-License-Identifier: Apache-2.0
// What the host prepares for lines that are split: which lengths there are, twiddle factors, and the filter row by row.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cuda/fft/line_fft.cuh"

namespace cornerturn {

struct SplitLength {
    std::int64_t points;  ///< N1
    std::int64_t row;     ///< N2
    constexpr std::int64_t length() const { return points * row; }
};

/// Of few rows and few numbers of points: each is a kernel to compile. The first ones are those that a block can hold
/// where it has shared memory enough.
inline constexpr std::array<SplitLength, 20> split_lengths{
    {{8, 1024},  {10, 1024}, {12, 1024}, {16, 1024}, {20, 1024}, {12, 2048}, {12, 2560},
     {16, 2048}, {12, 3072}, {20, 2048}, {16, 3072}, {20, 2560}, {20, 3072}, {16, 4096},
     {12, 6144}, {20, 4096}, {16, 6144}, {20, 5120}, {20, 6144}, {16, 8192}}};

constexpr bool is_split_row(std::int64_t row) {
    for (const SplitLength& split : split_lengths)
        if (split.row == row) return true;
    return false;
}

constexpr std::optional<SplitLength> split_of(std::int64_t length) {
    for (const SplitLength& candidate : split_lengths)
        if (candidate.length() == length) return candidate;
    return std::nullopt;
}

/// Calls go.operator()<N1>(); false if there are no kernels of that many points.
template <class Go>
bool with_split_points(std::int64_t points, Go go) {
    switch (points) {
        case 8: return go.template operator()<8>(), true;
        case 10: return go.template operator()<10>(), true;
        case 12: return go.template operator()<12>(), true;
        case 16: return go.template operator()<16>(), true;
        case 20: return go.template operator()<20>(), true;
    }
    return false;
}

/// Calls go(LineDigits) for a row; false if there is no kernel of that length.
template <class Go>
bool with_split_row(std::int64_t length, Go go) {
    bool found = false;
    with_filtered_digits(length, [&]<class Digits>(Digits digits) {
        if constexpr (is_split_row(Digits::length)) {
            go(digits);
            found = true;
        }
    });
    return found;
}

/// The filter of each row, as grouped_filter lays it out: [N1][C / 2][A B].
template <class Digits>
std::vector<FilterPair> split_filter(const std::vector<Complex64>& filter, std::int64_t points) {
    std::vector<FilterPair> table;
    std::vector<Complex64> of_row(static_cast<std::size_t>(Digits::length));
    for (std::int64_t k1 = 0; k1 < points; ++k1) {
        for (std::int64_t k2 = 0; k2 < Digits::length; ++k2)
            of_row[static_cast<std::size_t>(k2)] = filter[static_cast<std::size_t>(k1 + points * k2)];
        const std::vector<FilterPair> grouped = grouped_filter<Digits>(of_row);
        table.insert(table.end(), grouped.begin(), grouped.end());
    }
    return table;
}

/// Of SplitTwiddles.
template <class Digits>
std::vector<Twiddle> split_forward_a(std::int64_t points) {
    std::vector<Twiddle> table;
    for (std::int64_t k1 = 0; k1 < points; ++k1) table.push_back(twiddle(k1, points * Digits::A));
    return table;
}

template <class Digits>
std::vector<Twiddle> split_forward_b(std::int64_t points) {
    std::vector<Twiddle> table;
    for (std::int64_t k1 = 0; k1 < points; ++k1)
        for (std::int64_t k_a = 0; k_a < Digits::A; ++k_a)
            table.push_back(twiddle(k1 + points * k_a, points * Digits::A * Digits::B));
    return table;
}

template <class Digits>
std::vector<Twiddle> split_forward_c(std::int64_t points) {
    std::vector<Twiddle> table;
    for (std::int64_t k1 = 0; k1 < points; ++k1)
        for (int b = 0; b < Digits::A * Digits::B; ++b)
            table.push_back(twiddle(k1 + points * first_bin_of<Digits>(b), points * Digits::length));
    return table;
}

}  // namespace cornerturn
