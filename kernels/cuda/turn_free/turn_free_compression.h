// SPDX-License-Identifier: Apache-2.0
// Azimuth FFT, migration correction, azimuth compression and inverse FFT of a matrix whose rows stay echo lines:
// AzimuthSpectrum and AzimuthCompression without the corner turns before, between and behind them.
#pragma once

#include <cstdint>

#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {

/// in: lines x input_cells, native, overwritten. out: image_rows x columns, native. Both storages must hold fft_length
/// x input_cells, or x columns where those are more. With scaled_halves `in` is lines of halves with a scale each
/// (kernels/device/scaled_lines.h), and so is what lies between the kernels.
struct UnturnedAzimuthCompression {
    std::int64_t lines = 0;
    AzimuthCompression azimuth;
    bool scaled_halves = false;
};

}  // namespace cornerturn
