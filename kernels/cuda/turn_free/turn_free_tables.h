// SPDX-License-Identifier: Apache-2.0
// What the host prepares for azimuth compression without a corner turn.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cuda/turn_free/turn_free.cuh"
#include "kernels/passes/migration_law.h"

namespace cornerturn {

/// Bin of law i = 32 k2 + k0 of a tile: TurnFreeGather's order.
inline std::vector<std::int64_t> turn_free_order(std::int64_t fft_length) {
    const std::int64_t bins = fft_length / turn_free_rows;
    std::vector<std::int64_t> order;
    for (std::int64_t k2 = 0; k2 < bins; ++k2)
        for (std::int64_t k0 = 0; k0 < turn_free_rows; ++k0) order.push_back(k2 + bins * k0);
    return order;
}

inline std::vector<Twiddle> inverse_second(std::int64_t fft_length, int a) {
    std::vector<Twiddle> table;
    for (std::int64_t n0 = 0; n0 < turn_free_rows; ++n0)
        for (std::int64_t k = 0; k < a; ++k) table.push_back(twiddle(n0 + turn_free_rows * k, fft_length));
    return table;
}

inline std::vector<Twiddle> inverse_first(std::int64_t fft_length, int b) {
    std::vector<Twiddle> table;
    for (std::int64_t n0 = 0; n0 < turn_free_rows; ++n0) table.push_back(twiddle(b * n0, fft_length));
    return table;
}

/// Largest modulus that TurnFreeGather makes of numbers up to 1: both transforms, the interpolation, the strongest
/// filter.
inline double growth_of_gather(const SincKernel& kernel, const TileLaws& laws) {
    constexpr int places = 64;
    double weights = 0, gain = 0;
    for (int place = 0; place < places; ++place) {
        double sum = 0;
        for (int tap = -kernel.taps / 2; tap <= kernel.taps / 2; ++tap)
            sum += std::abs(kernel.weight(tap - static_cast<double>(place) / places));
        weights = std::max(weights, 1.01 * sum);
    }
    for (const TileLaw& law : laws.laws)
        gain = std::max<double>(gain, law.gain * (1 + std::abs(law.gain_step) * static_cast<float>(laws.tile_columns)));
    return turn_free_rows * weights * gain * turn_free_rows;
}

inline void scale_gains(TileLaws& laws, double factor) {
    for (TileLaw& law : laws.laws) law.gain = static_cast<float>(law.gain * factor);
}

}  // namespace cornerturn
