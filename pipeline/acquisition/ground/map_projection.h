// SPDX-License-Identifier: Apache-2.0
// Map projections.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/map_grid.h"

namespace cornerturn {

/// `geographic`, `local`, `plane`, `utm:33n`, `epsg:3413`; nothing for `utm`, whose zone the scene has to tell. Throws
/// InputError.
std::optional<MapProjection> map_projection_named(const std::string& name);

/// That of a definition in OGC's or ESRI's well-known text; nothing where PROJ finds no EPSG code for it.
std::optional<MapProjection> map_projection_of_text(const std::string& well_known_text);

/// Whether it is meant as the name of a map, known or not; all else may be a file.
bool is_map_name(const std::string& name);

/// Between a map and WGS84, by PROJ.
class MapTransform {
public:
    /// Throws InputError where PROJ knows no such map, or one in other units than metres.
    explicit MapTransform(const MapProjection& projection);
    ~MapTransform();
    MapTransform(MapTransform&&) noexcept;

    /// Throws InputError where the map does not hold the place.
    MapPoint of(const Geographic& place) const;
    /// At a height of 0; of the plane of a scene, on it.
    Geographic at(const MapPoint& point) const;
    /// The map's definition in OGC's well-known text (WKT 1 as GDAL writes it); empty for planes of a scene.
    std::string well_known_text() const;

private:
    struct Proj;
    std::unique_ptr<Proj> proj_;
};

/// The edge of a grid on the ground, in a height above the map's own: a closed ring, counter-clockwise from the lower
/// left, with the corners and as many points evenly along each edge. Empty for a local plane, of which nothing tells
/// where it lies.
std::vector<Geographic> outline(const MapGrid& grid, double height_m, int points_per_edge);

/// Sizes of a pixel in m, in the middle of a grid.
struct PixelSize {
    double across_m = 0, down_m = 0;  ///< along x, along y
};
PixelSize pixel_size(const MapGrid& grid);

/// The pixels that hold all points between these edges; the edges of pixels lie on multiples of the steps, so that
/// grids of the same steps fit together.
MapGrid grid_over(const MapProjection& projection, const MapPoint& least, const MapPoint& greatest, double x_step,
                  double y_step);

}  // namespace cornerturn
