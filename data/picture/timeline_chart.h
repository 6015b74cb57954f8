// SPDX-License-Identifier: Apache-2.0
// What ran beside what, as an SVG picture.
#pragma once

#include <string>
#include <vector>

#include "pipeline/echo/timeline.h"

namespace cornerturn {

struct TimelineChart {
    std::string title;
    std::string subtitle;
    double wall_s = 0;  ///< of the axis, which begins with 0 and is marked in ms
    std::vector<Timeline::Lane> lanes;
};

/// The picture's text: a row for each lane, a bar for each span, and under them which colour is what, and how long it
/// took in all. Names may hold any characters. It needs nothing but itself.
std::string timeline_svg(const TimelineChart& chart);

}  // namespace cornerturn
