// SPDX-License-Identifier: Apache-2.0
#include "data/sentinel1/moved_samples.h"

#include <array>
#include <vector>

#include "kernels/math/interpolation.h"

namespace cornerturn::sentinel1 {
namespace {

constexpr int half_taps = 24;
using Weights = std::array<float, 2 * half_taps>;

/// Of the samples half_taps before to half_taps - 1 behind a place that lies `later` before a sample.
Weights weights_of(double later) {
    constexpr SincKernel kernel{.taps = 2 * half_taps, .beta = 9};
    Weights weights;
    for (int tap = 0; tap < kernel.taps; ++tap)
        weights[static_cast<std::size_t>(tap)] = static_cast<float>(kernel.weight(tap - half_taps + later));
    return weights;
}

}  // namespace

void move_samples(std::span<std::complex<float>> samples, double later) {
    const Weights weights = weights_of(later);
    const auto count = std::ssize(samples);
    std::vector<std::complex<float>> padded(half_taps);
    padded.insert(padded.end(), samples.begin(), samples.end());
    padded.insert(padded.end(), half_taps, 0.0f);
    for (std::ptrdiff_t k = 0; k < count; ++k) {
        std::complex<float> sum;
        for (std::size_t tap = 0; tap < weights.size(); ++tap)
            sum += weights[tap] * padded[static_cast<std::size_t>(k) + tap];
        samples[static_cast<std::size_t>(k)] = sum;
    }
    if (count > 0) samples.front() = 0;
}

}  // namespace cornerturn::sentinel1
