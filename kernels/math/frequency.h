// SPDX-License-Identifier: Apache-2.0
// Frequencies of the bins of a transform.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/math/host_device.h"

namespace cornerturn {

/// Absolute azimuth frequency of FFT bin k of n: the alias of k * prf / n that lies in (centroid - prf/2, centroid +
/// prf/2].
CT_HOST_DEVICE double azimuth_frequency_hz(long long bin, long long length, double prf_hz, double centroid_hz) {
    const double frequency = static_cast<double>(bin) * prf_hz / static_cast<double>(length);
    return frequency + prf_hz * std::floor((centroid_hz - frequency) / prf_hz + 0.5);
}

/// FFT bin k of n counted from frequency 0, the upper half below it: in [-n/2, n/2). Transforms have fewer than 2^31
/// points, and numbers of 32 bits take half the instructions.
CT_HOST_DEVICE double signed_bin(long long bin, long long length) {
    const auto k = static_cast<std::int32_t>(bin), n = static_cast<std::int32_t>(length);
    return static_cast<double>(k < n - n / 2 ? k : k - n);
}

/// Range frequency of FFT bin k of n at a sample rate: in [-fs/2, fs/2).
CT_HOST_DEVICE double range_frequency_hz(long long bin, long long length, double sample_rate_hz) {
    return signed_bin(bin, length) * sample_rate_hz / static_cast<double>(length);
}

}  // namespace cornerturn
