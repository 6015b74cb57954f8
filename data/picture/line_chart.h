// SPDX-License-Identifier: Apache-2.0
// Curves over one axis as an SVG picture.
#pragma once

#include <string>
#include <vector>

namespace cornerturn {

struct LineChart {
    struct Curve {
        std::string name;
        std::vector<double> x, y;  ///< of equal length; what is not finite is left out
    };
    std::string title;
    std::string x_title, y_title;  ///< with units
    std::vector<Curve> curves;
};

/// The picture's text; the axes span all finite values. Names may hold any characters.
std::string line_chart_svg(const LineChart& chart);

}  // namespace cornerturn
