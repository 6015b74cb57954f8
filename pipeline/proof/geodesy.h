// SPDX-License-Identifier: Apache-2.0
// Places about the WGS84 ellipsoid, for simulator and back-projection; shares no formula with what the algorithms use.
#pragma once

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

struct Geodetic {
    double latitude_deg = 0;
    double longitude_deg = 0;
    double height_m = 0;
};

Geodetic to_geodetic(const Vec3& place_m);
Vec3 to_ecef(const Geodetic& place);

/// The place at a height above the ellipsoid that an antenna sees at a range, on one side, with the sine of its angle
/// off the plane perpendicular to `along` (0: in the plane). Always a finite place at that range: straight down where
/// the range ends above that height, at 45 degrees to the side where it never reaches up to it.
Vec3 place_at(const Vec3& antenna_m, const Vec3& along, double range_m, double sine, double height_m, LookSide side);

}  // namespace cornerturn
