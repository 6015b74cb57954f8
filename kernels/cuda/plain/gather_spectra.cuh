// SPDX-License-Identifier: Apache-2.0
// Launches the gather along the spectra of a batch of lines.
#pragma once

#include <string_view>

#include "kernels/cuda/plain/launch_rows.cuh"
#include "kernels/cuda/plain/spectrum_rows.cuh"

namespace cornerturn {

/// `spectra` and `out`: lines x bins, packed.
template <class Hooks>
void gather_spectra(const Hooks& hooks, const SincPolynomials<float>& weights, const Complex64* spectra,
                    std::int64_t first_line, std::int64_t lines, std::int64_t bins, Complex64* out,
                    const Stream& stream, std::string_view doing) {
    launch_rows(GatherSpectra<Hooks>{hooks, {weights, static_cast<int>(bins)}, first_line, lines, bins, spectra, out},
                stream, doing);
}

}  // namespace cornerturn
