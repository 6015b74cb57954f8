// SPDX-License-Identifier: Apache-2.0
// A smooth phase over a matrix: no transform.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kernels/passes/line_pass.h"
#include "kernels/phasor.h"

namespace cornerturn {

/// sum powers[i][j] u^i v^j with u, v = (x, y - centre) / half.
struct SmoothSurface {
    static constexpr int x_powers = 5, y_powers = 3;
    double x_centre = 0, x_half = 1, y_centre = 0, y_half = 1;
    std::array<std::array<double, y_powers>, x_powers> powers{};

    CT_HOST_DEVICE double operator()(double x, double y) const {
        const double u = (x - x_centre) / x_half, v = (y - y_centre) / y_half;
        double value = 0;
        for (int i = x_powers; i-- > 0;) value = value * u + (powers[i][0] + v * (powers[i][1] + v * powers[i][2]));
        return value;
    }
    friend bool operator==(const SmoothSurface&, const SmoothSurface&) = default;
};

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
