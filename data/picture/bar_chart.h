// SPDX-License-Identifier: Apache-2.0
// Horizontal bars as an SVG picture.
#pragma once

#include <string>
#include <vector>

namespace cornerturn {

struct BarChart {
    struct Bar {
        std::string name;
        double value = 0;   ///< not negative
        std::string label;  ///< written behind the bar
    };
    std::string title;
    std::string subtitle;
    std::string unit;  ///< of the values, under the axis
    std::vector<Bar> bars;
};

/// The picture's text. Bars of the greatest value are the longest; names may hold any characters.
std::string bar_chart_svg(const BarChart& chart);

/// Writes it; complete or not at all. Throws InputError for a path that cannot be written and DeviceError when writing
/// fails.
void write_bar_chart(const std::string& path, const BarChart& chart);

}  // namespace cornerturn
