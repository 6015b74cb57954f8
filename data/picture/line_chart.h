// SPDX-License-Identifier: Apache-2.0
// Curves over one axis, as SVG or as a picture of pixels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/picture/bitmap_font.h"
#include "data/picture/picture.h"

namespace cornerturn {

struct LineChart {
    struct Curve {
        std::string name;
        std::vector<double> x, y;           ///< of equal length; what is not finite is left out
        bool joined = true;                 ///< by lines; else a small cross at each point
        std::optional<Colour> colour = {};  ///< none: the next of the palette
    };
    std::string title;
    std::string x_title, y_title;  ///< with units
    std::vector<Curve> curves;
};

/// The picture's text; the axes span all finite values. Names may hold any characters.
std::string line_chart_svg(const LineChart& chart);

/// Charts below each other.
Picture line_chart_picture(const std::vector<LineChart>& charts);

}  // namespace cornerturn
