// SPDX-License-Identifier: Apache-2.0
// Fourier sums of evenly spaced values at evenly spaced places of any other spacing.
#pragma once

#include <complex>
#include <vector>

namespace cornerturn {

struct EvenlySpaced {
    double first, step;
};

/// Sum over k of values[k] exp(j 2 pi x t_k) at `count` places x, with t_k = times.first + k times.step.
std::vector<std::complex<double>> zoomed_spectrum(const std::vector<std::complex<double>>& values,
                                                  const EvenlySpaced& times, const EvenlySpaced& places, int count);

}  // namespace cornerturn
