// SPDX-License-Identifier: Apache-2.0
// What SICD tells of the moment at which the beam's centre is on the scene's centre point (SCPCOA).
#pragma once

#include "data/sicd/geometry.h"

namespace cornerturn::sicd {

/// Angles in degrees, as section 4.9 of NGA.STND.0024-1 defines them.
struct SceneCentre {
    double time_s = 0;
    Vec3 position_m{}, velocity_m_s{}, acceleration_m_s2{};  ///< of the antenna
    bool left = false;                                       ///< of the track
    double slant_range_m = 0, ground_range_m = 0;
    double doppler_cone_deg = 0;  ///< between velocity and line of sight
    double grazing_deg = 0;       ///< of the line of sight, on the ground
    double twist_deg = 0;         ///< of the slant plane about the ground range
    double slope_deg = 0;         ///< between slant plane and ground
    double azimuth_deg = 0;       ///< from the scene to the antenna, clockwise from north
    double layover_deg = 0;       ///< to which high points fall, clockwise from north
};
SceneCentre scene_centre(const Geometry& geometry);

}  // namespace cornerturn::sicd
