// SPDX-License-Identifier: Apache-2.0
// Transmit times of pulses: in equal steps, or one by one, for dithered pulses and records with missing lines.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace cornerturn {

/// Of a line that need not be whole. `own_s`: of every line, ascending, between which time runs straight; empty: equal
/// steps, which otherwise go on at either end.
inline double time_of_line_s(double first_s, double prf_hz, std::span<const double> own_s, double line) {
    if (own_s.empty()) return first_s + line / prf_hz;
    const double last = static_cast<double>(own_s.size()) - 1;
    if (line <= 0) return own_s.front() + line / prf_hz;
    if (line >= last) return own_s.back() + (line - last) / prf_hz;
    const auto before = static_cast<std::size_t>(line);
    return own_s[before] + (line - static_cast<double>(before)) * (own_s[before + 1] - own_s[before]);
}

/// The other way round.
inline double line_at_time(double first_s, double prf_hz, std::span<const double> own_s, double time_s) {
    if (own_s.empty()) return (time_s - first_s) * prf_hz;
    if (time_s <= own_s.front()) return (time_s - own_s.front()) * prf_hz;
    if (time_s >= own_s.back()) return static_cast<double>(own_s.size()) - 1 + (time_s - own_s.back()) * prf_hz;
    const auto behind = std::upper_bound(own_s.begin(), own_s.end(), time_s);
    const double from_s = *(behind - 1);
    return static_cast<double>(behind - 1 - own_s.begin()) + (time_s - from_s) / (*behind - from_s);
}

/// Whether pulses follow each other in other steps than multiples of one.
inline bool are_dithered(double prf_hz, std::span<const double> own_s) {
    constexpr double least = 0.005;  // of an interval
    for (std::size_t i = 1; i < own_s.size(); ++i) {
        const double intervals = (own_s[i] - own_s[i - 1]) * prf_hz;
        if (std::abs(intervals - std::round(intervals)) > least) return true;
    }
    return false;
}

}  // namespace cornerturn
