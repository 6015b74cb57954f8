// SPDX-License-Identifier: Apache-2.0
// A smooth phase over a matrix: no transform.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/passes/line_pass.h"
#include "kernels/phasor.h"
#include "kernels/smooth_surface.h"

namespace cornerturn {

template <class Real>
struct PhaseCorrectionHooks {
    SmoothSurface cycles;
    CT_HOST_DEVICE Complex<Real> scale(std::int64_t line, std::int64_t sample) const {
        return unit_phasor<Real>(cycles(static_cast<double>(line), static_cast<double>(sample)));
    }
};

/// in and out: lines x samples, native. Each sample times exp(j 2 pi cycles(line, sample)).
struct PhaseCorrection {
    static constexpr Transforms transforms = Transforms::none;
    static constexpr bool reads_echo = false;
    static constexpr std::string_view title = "phase correction";

    std::int64_t lines = 0;
    std::int64_t samples = 0;
    SmoothSurface cycles;

    LineShape shape() const { return {lines, samples, 0, samples}; }
    template <class Real, class Tables>
    PhaseCorrectionHooks<Real> hooks(const Tables&) const {
        return {cycles};
    }
};

}  // namespace cornerturn
