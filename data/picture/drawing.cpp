// SPDX-License-Identifier: Apache-2.0
#include "data/picture/drawing.h"

#include <algorithm>
#include <cmath>

namespace cornerturn {

void draw_dot(Picture& picture, std::int64_t x, std::int64_t y, const Colour& colour) {
    if (x >= 0 && y >= 0 && x < picture.width && y < picture.height)
        std::copy(colour.begin(), colour.end(), picture.pixel(x, y));
}

void draw_line(Picture& picture, double x0, double y0, double x1, double y1, const Colour& colour) {
    const auto steps = static_cast<int>(std::ceil(std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1.0})));
    for (int k = 0; k <= steps; ++k) {
        const double f = static_cast<double>(k) / steps;
        draw_dot(picture, std::lround(x0 + f * (x1 - x0)), std::lround(y0 + f * (y1 - y0)), colour);
    }
}

}  // namespace cornerturn
