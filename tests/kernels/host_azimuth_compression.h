// SPDX-License-Identifier: Apache-2.0
// Azimuth compression looped on the host in double precision, one image column at a time.
#pragma once

#include <cmath>

#include "kernels/passes/azimuth_compression.h"
#include "kernels/passes/tables.h"
#include "tests/kernels/fourier_sum.h"

namespace cornerturn {

inline Line host_line(const AzimuthCompression& pass, LineView in, std::int64_t column) {
    const HostTables tables;
    const AzimuthCompressionHooks hooks = pass.hooks(tables);
    const SincPolynomials<double> sinc = polynomials<double>(pass.kernel);
    Line spectrum;
    for (std::int64_t bin = 0; bin < pass.fft_length; ++bin) {
        const Migration m = hooks.at(column, bin);
        const double base = std::floor(m.position_cells);
        std::complex<double> sum;
        for (int tap = 0; tap < sinc.taps; ++tap) {
            const std::int64_t cell = static_cast<std::int64_t>(base) - sinc.taps / 2 + 1 + tap;
            if (cell >= 0 && cell < pass.input_cells)
                sum += sinc.weight(tap, m.position_cells - base - 0.5) *
                       in[static_cast<std::size_t>(cell * pass.fft_length + bin)];
        }
        spectrum.push_back(m.gain * as_std(unit_phasor<double>(m.phase_cycles)) * sum);
    }
    const Line image = fast_fourier(spectrum, pass.fft_length, +1);
    Line rows;
    for (std::int64_t row = 0; row < pass.image_rows; ++row)
        rows.push_back(
            hooks.store(column).covers(row) ? image[static_cast<std::size_t>(hooks.store(column).source(row))] : 0.0);
    return rows;
}

}  // namespace cornerturn
