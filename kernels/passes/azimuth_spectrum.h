// SPDX-License-Identifier: Apache-2.0
// Azimuth FFT: zero-padded forward transform of every range line; no formulas.
#pragma once

#include "kernels/passes/line_pass.h"

namespace cornerturn {

struct AzimuthSpectrumHooks {};

/// in: range_cells x lines, native. out: range_cells x fft_length, native; bin k of the unnormalised forward FFT over
/// slow time.
struct AzimuthSpectrum {
    static constexpr Transforms transforms = Transforms::forward;
    static constexpr bool reads_echo = false;
    static constexpr std::string_view title = "azimuth spectrum";

    std::int64_t range_cells = 0;
    std::int64_t lines = 0;
    std::int64_t fft_length = 0;

    LineShape shape() const { return {range_cells, lines, fft_length, fft_length}; }
    template <class Real, class Tables>
    AzimuthSpectrumHooks hooks(const Tables&) const {
        return {};
    }
};

}  // namespace cornerturn
