// SPDX-License-Identifier: Apache-2.0
// Circular Gaussian noise from a counter: number (line, sample) of a seed's sequence, whoever computes it.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

#include "kernels/math/phasor.h"
#include "pipeline/proof/counted_random.h"

namespace cornerturn {

/// Of the real and of the imaginary part, where the mean power of a sample is so many dB above 1.
inline double sigma_of_noise(double power_db) { return std::pow(10.0, power_db / 20) / std::numbers::sqrt2; }

/// Polarizations have noises of their own.
struct NoiseOfLine {
    std::uint64_t seed = 1, polarization = 0, line = 0;
};
inline void add_noise(const NoiseOfLine& which, double sigma, std::span<Complex128> to) {
    const std::uint64_t seed = which.polarization == 0 ? mix(which.seed) : mix(mix(which.seed) ^ which.polarization);
    const std::uint64_t key = mix(seed + which.line);
    for (std::size_t sample = 0; sample < to.size(); ++sample) {
        const double uniform = 1.0 - unit(mix(key + 2 * sample));  // (0, 1]
        const double radius = sigma * std::sqrt(-2.0 * std::log(uniform));
        to[sample] = to[sample] + radius * unit_phasor<double>(unit(mix(key + 2 * sample + 1)));
    }
}

}  // namespace cornerturn
