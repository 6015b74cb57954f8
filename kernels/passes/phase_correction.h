// SPDX-License-Identifier: Apache-2.0
// A phase over a matrix, smooth but for one of each line: no transform.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/math/phasor.h"
#include "kernels/math/smooth_surface.h"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

template <class Real>
struct PhaseCorrectionHooks {
    SmoothSurface cycles;
    const double* line_cycles;  ///< nullptr: none

    struct Line {
        double line_cycles;
        SmoothSurface::AlongY cycles;

        CT_HOST_DEVICE Complex<Real> scale(std::int64_t sample) const {
            return unit_phasor<Real>(line_cycles + cycles(static_cast<double>(sample)));
        }
    };
    CT_HOST_DEVICE Line of_line(std::int64_t line) const {
        return {line_cycles == nullptr ? 0.0 : line_cycles[line], cycles.at(static_cast<double>(line))};
    }
};

/// in and out: lines x samples, native. Each sample times exp(j 2 pi (cycles(line, sample) + line_cycles[line])).
struct PhaseCorrection {
    static constexpr Transforms transforms = Transforms::none;
    static constexpr bool reads_echo = false;
    static constexpr std::string_view title = "phase correction";

    std::int64_t lines = 0;
    std::int64_t samples = 0;
    SmoothSurface cycles;
    std::vector<double> line_cycles = {};  ///< added to that, one per line; empty: none

    LineShape shape() const { return {lines, samples, 0, samples}; }
    template <class Real, class Tables>
    PhaseCorrectionHooks<Real> hooks(const Tables& tables) const {
        return {cycles, line_cycles.empty() ? nullptr : tables(line_cycles, "the phases of the lines")};
    }
};

}  // namespace cornerturn
