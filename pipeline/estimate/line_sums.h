// SPDX-License-Identifier: Apache-2.0
// Sums over echo lines for the estimate of the Doppler centroid.
#pragma once

#include <cstdint>

#include "kernels/passes/decoding.h"

namespace cornerturn {

struct LineSums {
    double power = 0;
    double lag_re = 0, lag_im = 0;  ///< conj(this line) * next line

    LineSums& operator+=(const LineSums& other) {
        power += other.power;
        lag_re += other.lag_re;
        lag_im += other.lag_im;
        return *this;
    }
};

template <class Component>
void add_sample(const EchoReader<double, Component>& echo, std::int64_t line, std::int64_t sample, bool has_next,
                LineSums& sums) {
    const Complex<double> now = echo(line, sample);
    sums.power += now.re * now.re + now.im * now.im;
    if (!has_next) return;
    const Complex<double> product = conj(now) * echo(line + 1, sample);
    sums.lag_re += product.re;
    sums.lag_im += product.im;
}

}  // namespace cornerturn
