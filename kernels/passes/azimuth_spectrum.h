// SPDX-License-Identifier: Apache-2.0
// Azimuth FFT: zero-padded forward transform of every range line; no hooks.
#pragma once

#include <cstdint>

namespace cornerturn {

/// in: range_cells x lines, native. out: range_cells x fft_length, native; bin k of the unnormalised forward FFT over slow time.
struct AzimuthSpectrum {
    std::int64_t range_cells = 0;
    std::int64_t lines = 0;
    std::int64_t fft_length = 0;
};

}  // namespace cornerturn
