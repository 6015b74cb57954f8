// SPDX-License-Identifier: Apache-2.0
// Ranges and angles between an antenna and a point on the Earth, as NGA defines them for SICD (NGA.STND.0024-1, 4.9)
// and CPHD (NGA.STND.0068-1, 6.5.2).
#pragma once

#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

struct LineOfSight {
    bool left = false;  ///< side of the track on which the point lies
    double slant_range_m = 0, ground_range_m = 0;
    double cone_deg = 0;                  ///< between velocity and line of sight
    double graze_deg = 0;                 ///< between line of sight and the level plane at the point
    double azimuth_deg = 0;               ///< to the antenna, from north by east
    double layover_deg = 0;               ///< in which high places are displaced, likewise
    double twist_deg = 0, slope_deg = 0;  ///< of the slant plane against the level one
    double incidence_deg() const { return 90 - graze_deg; }
};

LineOfSight line_of_sight(const StateVector& antenna, const Vec3& point_m);

}  // namespace cornerturn
