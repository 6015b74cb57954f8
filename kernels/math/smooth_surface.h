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

    /// Along y, where x stays.
    struct AlongY {
        double centre, per_y;
        double powers[y_powers];

        CT_HOST_DEVICE double operator()(double y) const {
            const double v = (y - centre) * per_y;
            double value = 0;
            for (int j = y_powers; j-- > 0;) value = value * v + powers[j];
            return value;
        }
    };
    CT_HOST_DEVICE AlongY at(double x) const {
        const double u = (x - x_centre) / x_half;
        AlongY along{y_centre, 1 / y_half, {}};
        for (int j = 0; j < y_powers; ++j)
            for (int i = x_powers; i-- > 0;) along.powers[j] = along.powers[j] * u + powers[i][j];
        return along;
    }
    CT_HOST_DEVICE double operator()(double x, double y) const { return at(x)(y); }
    friend bool operator==(const SmoothSurface&, const SmoothSurface&) = default;
};

}  // namespace cornerturn
