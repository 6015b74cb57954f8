// SPDX-License-Identifier: Apache-2.0
// Spectra of image columns to the columns: inverse azimuth FFT, of which the covered rows are stored; no formulas.
#pragma once

#include <vector>

#include "kernels/passes/line_pass.h"

namespace cornerturn {

struct AzimuthImageHooks {
    const Interval* covered_rows = nullptr;

    CT_HOST_DEVICE Interval covered(std::int64_t column) const { return covered_rows[column]; }
};

/// in: columns x fft_length, native. out: columns x image_rows, native; the unnormalised inverse FFT.
struct AzimuthImage {
    static constexpr Transforms transforms = Transforms::inverse;
    static constexpr bool reads_echo = false;
    static constexpr std::string_view title = "azimuth image";

    std::int64_t columns = 0;
    std::int64_t fft_length = 0;
    std::int64_t image_rows = 0;
    std::vector<Interval> covered_rows;  ///< of each column; the others are set to zero

    LineShape shape() const { return {columns, fft_length, fft_length, image_rows}; }
    template <class Real, class Tables>
    AzimuthImageHooks hooks(const Tables& tables) const {
        return {tables(covered_rows, "the covered rows")};
    }
};

}  // namespace cornerturn
