// SPDX-License-Identifier: Apache-2.0
// Footprint of a radar on the Earth: the place of a zero-Doppler time and slant range, the angles there, the outline
// of an image.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// On and above the WGS84 ellipsoid.
struct Geographic {
    double longitude_deg = 0;
    double latitude_deg = 0;
    double height_m = 0;
};
Geographic geographic(const Vec3& point_m);
/// The point in ECEF.
Vec3 point_of(const Geographic& place);

/// A degree along a parallel and along a meridian, at a latitude on the ellipsoid.
struct DegreeSize {
    double longitude_m = 0, latitude_m = 0;
};
DegreeSize degree_size(double latitude_deg);

/// Unit vectors at a place.
struct LocalFrame {
    Vec3 east{}, north{}, up{};
};
LocalFrame local_frame(const Geographic& place);

/// Of a vector's part on the ground, clockwise from north, 0 to 360.
double bearing_deg(const Vec3& direction, const LocalFrame& frame);
double heading_deg(const StateVector& platform);

/// A place and how the antenna sees it when it passes by, at zero Doppler.
struct GroundView {
    Geographic place;
    double incidence_deg = 0;    ///< at the place, between the ellipsoid's normal and the direction to the antenna
    double elevation_deg = 0;    ///< the same between that direction and the normal at the antenna
    double to_antenna_east = 0;  ///< unit vector from the place to the antenna
    double to_antenna_north = 0;
    double along_track_east = 0;  ///< unit vector of the flight, seen at the place
    double along_track_north = 0;
    double ground_track_velocity_m_s = 0;  ///< at which zero Doppler runs along the ground there
};
/// At a height above the ellipsoid; nothing where the range ends elsewhere.
std::optional<GroundView> ground_view(const StateVector& platform, double range_m, LookSide side, double height_m);

/// The edge of an image on the ground: a closed ring, counter-clockwise on the map, from first time and near range on,
/// with the corners and as many points evenly along each edge. Longitudes go on beyond 180 degrees. Empty where a range
/// does not reach the height.
std::vector<Geographic> outline(const Orbit& orbit, LookSide side, const ImageGrid& grid, double height_m,
                                int points_per_edge);

}  // namespace cornerturn
