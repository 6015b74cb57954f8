// SPDX-License-Identifier: Apache-2.0
// Places of the targets of a simulated scene: on the Earth, and in an image on a map.
#pragma once

#include <vector>

#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/height_surface.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/measure/map_points.h"

namespace cornerturn {

/// Where on the Earth the simulated targets are that an acquisition knows of; those of which nothing tells it are left
/// out.
std::vector<Geographic> places_of_targets(const Acquisition& acquisition);

/// The same point as a grid counts it: a map in degrees may go on over the antimeridian, where a longitude lies a turn
/// beside that of the place. Other maps count one way only.
MapPoint counted_on(const MapGrid& grid, const MapPoint& point);

/// The ground that a map shows over a terrain, of which an image holds no heights; asked of the terrain anew, not of
/// what formed the image.
class MapTerrain {
public:
    MapTerrain(const MapGrid& grid, TerrainSource& terrain);
    /// Of a place in ECEF, up from the ground.
    double above_m(const Vec3& place_m) const;
    /// In ECEF, of a point of the map.
    Vec3 place_m(const MapPoint& point) const;

private:
    MapGrid grid_;
    MapTransform transform_;
    HeightSurface heights_;
};

/// Those whose truth the image carries; none where nothing tells where on the Earth they are. Only of those that lie on
/// the ground that the map shows, to a tenth of a millimetre, the amplitude is expected at their places: others are
/// displaced. Over a terrain only `terrain` tells which they are.
std::vector<MapTarget> known_map_targets(const Image& image, const MapTerrain* terrain = nullptr);

/// The image about a target of which a truth is known, with the phase that each pixel's own height and place give it
/// taken off, but for that of the target: over uneven ground it bends from pixel to pixel. The target's own truth then
/// has no cycles. All arguments must outlive the view.
ImageView flattened(const ImageView& image, const MapTerrain& terrain, const MapTarget& target);

}  // namespace cornerturn
