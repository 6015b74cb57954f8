// SPDX-License-Identifier: Apache-2.0
// Curves and points over an axis, as a picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/picture/bitmap_font.h"
#include "data/picture/picture.h"

namespace cornerturn {

struct PlotSeries {
    std::string name;
    Colour colour{};
    bool joined = true;  ///< by lines; else a small cross at each point
    std::vector<std::pair<double, double>> points;
};

struct Plot {
    std::string title, x_name, y_name;
    std::vector<PlotSeries> series;
};

/// Plots below each other, each with its axes over all that its series hold; points that are not finite are left out.
Picture plot_picture(const std::vector<Plot>& plots);

}  // namespace cornerturn
