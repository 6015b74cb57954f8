// SPDX-License-Identifier: Apache-2.0
// Dots and lines in pictures of three channels; what falls outside is cut off.
#pragma once

#include "data/picture/bitmap_font.h"

namespace cornerturn {

inline constexpr Colour paper_colour{250, 250, 250}, grid_colour{215, 215, 215}, ink_colour{40, 40, 40};

void draw_dot(Picture& picture, std::int64_t x, std::int64_t y, const Colour& colour);
void draw_line(Picture& picture, double x0, double y0, double x1, double y1, const Colour& colour);

}  // namespace cornerturn
