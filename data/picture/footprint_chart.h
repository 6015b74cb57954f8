// SPDX-License-Identifier: Apache-2.0
// Where on the Earth an image lies, as an SVG map of meridians and parallels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn {

struct FootprintChart {
    std::string title;
    std::string subtitle;
    std::vector<Geographic> outline;  ///< a closed ring
    struct Mark {
        std::string name;
        Geographic place;
    };
    std::vector<Mark> marks;
    struct View {
        double heading_deg = 0;  ///< of the flight, clockwise from north
        LookSide look_side = LookSide::right;
    };
    std::optional<View> view;  ///< drawn beside the map as arrows of flight and look
};

/// The picture's text: north is up, and a metre is as long along a parallel as along a meridian of the outline's
/// middle. Longitudes may go on beyond 180 degrees. Without an outline the picture shows its title only. It needs
/// nothing but itself.
std::string footprint_svg(const FootprintChart& chart);

}  // namespace cornerturn
