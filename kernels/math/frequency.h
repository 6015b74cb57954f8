// SPDX-License-Identifier: Apache-2.0
// Frequencies of the bins of a transform.
#pragma once

#include <cmath>

#include "kernels/math/host_device.h"

namespace cornerturn {

/// Absolute azimuth frequency of FFT bin k of n: the alias of k * prf / n that lies in (centroid - prf/2, centroid +
/// prf/2].
CT_HOST_DEVICE double azimuth_frequency_hz(long long bin, long long length, double prf_hz, double centroid_hz) {
    const double frequency = static_cast<double>(bin) * prf_hz / static_cast<double>(length);
    return frequency + prf_hz * std::floor((centroid_hz - frequency) / prf_hz + 0.5);
}

/// Range frequency of FFT bin k of n at a sample rate: in [-fs/2, fs/2).
CT_HOST_DEVICE double range_frequency_hz(long long bin, long long length, double sample_rate_hz) {
    const long long signed_bin = bin < (length + 1) / 2 ? bin : bin - length;
    return static_cast<double>(signed_bin) * sample_rate_hz / static_cast<double>(length);
}

}  // namespace cornerturn
