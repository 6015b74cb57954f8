// SPDX-License-Identifier: Apache-2.0
// Ranges and angles under which an antenna sees the point of reference of a pulse (NGA.STND.0068-1, section 6.5.2).
#pragma once

#include "pipeline/acquisition/orbit.h"

namespace cornerturn::cphd {

struct ReferenceGeometry {
    StateVector antenna;  ///< halfway between sending and receiving
    bool left = false;    ///< side of the track on which it looks
    double slant_range_m = 0, ground_range_m = 0;
    double cone_deg = 0;   ///< between velocity and line of sight
    double graze_deg = 0;  ///< between line of sight and the level plane at the point
    double azimuth_deg = 0,
           layover_deg = 0;               ///< from north by east: to the antenna; in which high places are displaced
    double twist_deg = 0, slope_deg = 0;  ///< of the slant plane against the level one
    double incidence_deg() const { return 90 - graze_deg; }
};

ReferenceGeometry reference_geometry(const StateVector& sender, const StateVector& receiver, const Vec3& reference_m);

}  // namespace cornerturn::cphd
