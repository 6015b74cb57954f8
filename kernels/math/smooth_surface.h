// SPDX-License-Identifier: Apache-2.0
// A polynomial of low degree in two variables: phases and frequencies that change slowly over a scene.
#pragma once

#include "kernels/math/host_device.h"

namespace cornerturn {

/// sum powers[i][j] u^i v^j with u, v = (x, y - centre) / half.
struct SmoothSurface {
    static constexpr int x_powers = 5, y_powers = 4;
    double x_centre = 0, x_half = 1, y_centre = 0, y_half = 1;
    double powers[x_powers][y_powers] = {};

    CT_HOST_DEVICE double operator()(double x, double y) const {
        const double u = (x - x_centre) / x_half, v = (y - y_centre) / y_half;
        double value = 0;
        for (int i = x_powers; i-- > 0;) {
            double of_y = 0;
            for (int j = y_powers; j-- > 0;) of_y = of_y * v + powers[i][j];
            value = value * u + of_y;
        }
        return value;
    }
    friend bool operator==(const SmoothSurface&, const SmoothSurface&) = default;
};

}  // namespace cornerturn
