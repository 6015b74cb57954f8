// SPDX-License-Identifier: Apache-2.0
// Polynomials of low degree over a tile of pixels.
#pragma once

#include <cmath>

#include "kernels/back_projection/tiled_image.h"

namespace cornerturn {

/// Half a tile's extent, and what differences over it are multiplied with.
struct TileScale {
    double half_x, half_y, slope_x, slope_y, bend_x, bend_y, twist;

    CT_HOST_DEVICE TileScale(double x, double y)
        : half_x(x),
          half_y(y),
          slope_x(0.5 / x),
          slope_y(0.5 / y),
          bend_x(0.5 / (x * x)),
          bend_y(0.5 / (y * y)),
          twist(0.5 / (x * y)) {}
    CT_HOST_DEVICE explicit TileScale(const TiledImage& image) : TileScale(image.half_across(), image.half_along()) {}
};

/// value + x_ x + y_ y + xx x^2 + xy x y + yy y^2 + xxy x^2 y + xyy x y^2 + xxyy x^2 y^2 over pixels from the centre.
struct TileSurface {
    double value = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, xxy = 0, xyy = 0, xxyy = 0;

    CT_HOST_DEVICE double bend(double at_x, double at_y) const {
        return at_x * (at_x * (xx + at_y * (xxy + at_y * xxyy)) + at_y * (xy + at_y * xyy)) + at_y * at_y * yy;
    }
    CT_HOST_DEVICE double at(double at_x, double at_y) const { return value + x * at_x + y * at_y + bend(at_x, at_y); }
};
/// By which it changes from the centre on at most.
CT_HOST_DEVICE double largest_change(const TileSurface& of, const TileScale& scale) {
    const double x = scale.half_x, y = scale.half_y;
    return x * (std::fabs(of.x) + x * (std::fabs(of.xx) + y * (std::fabs(of.xxy) + y * std::fabs(of.xxyy)))) +
           y * (std::fabs(of.y) + y * std::fabs(of.yy)) + x * y * (std::fabs(of.xy) + y * std::fabs(of.xyy));
}
}  // namespace cornerturn
