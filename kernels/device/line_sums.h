// SPDX-License-Identifier: Apache-2.0
// What the statistics of an echo are made of, line by line.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/device/staging.h"
#include "kernels/passes/decoding.h"

namespace cornerturn {

/// Without initialisers, for it lies in shared memory too.
struct LineSums {
    double non_finite;  // a count; exact below 2^53
    double power;
    double lag_re;  // conj(this line) * next line
    double lag_im;

    CT_HOST_DEVICE LineSums& operator+=(const LineSums& other) {
        non_finite += other.non_finite;
        power += other.power;
        lag_re += other.lag_re;
        lag_im += other.lag_im;
        return *this;
    }
};

template <class Component>
CT_HOST_DEVICE void add_sample(const EchoReader<double, Component>& echo, std::int64_t line, std::int64_t sample,
                               bool has_next, LineSums& sums) {
    sums.non_finite += echo.finite(echo.stored(line, sample)) ? 0.0 : 1.0;
    const Complex<double> now = echo(line, sample);
    sums.power += now.re * now.re + now.im * now.im;
    if (!has_next) return;
    const Complex<double> product = conj(now) * echo(line + 1, sample);
    sums.lag_re += product.re;
    sums.lag_im += product.im;
}

inline EchoStatistics total(std::span<const LineSums> lines, std::int64_t samples) {
    if (lines.empty() || samples == 0) return {};
    LineSums all{};
    for (const LineSums& line : lines) all += line;
    return {.non_finite = static_cast<std::int64_t>(all.non_finite),
            .mean_power = all.power / static_cast<double>(static_cast<std::int64_t>(lines.size()) * samples),
            .lag1 = {all.lag_re, all.lag_im}};
}

}  // namespace cornerturn
