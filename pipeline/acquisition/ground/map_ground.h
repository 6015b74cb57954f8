// SPDX-License-Identifier: Apache-2.0
// The ground below a map: positions and heights of its points.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/math/smooth_surface.h"
#include "kernels/math/two_way_delay.h"
#include "pipeline/acquisition/ground/height_surface.h"
#include "pipeline/acquisition/ground/map_projection.h"

namespace cornerturn {

/// Level, or a terrain: then a smooth surface and what lies above it.
class MapGround {
public:
    /// At one height: above the ellipsoid, of a local plane its z, of the plane of a scene above that.
    MapGround(const MapProjection& projection, double height_m);
    /// Throws InputError where the terrain does not cover the grid, or knows less than half of it. What else is worth
    /// telling goes to `remarks`.
    MapGround(const MapGrid& grid, TerrainSource& terrain, std::vector<std::string>& remarks);

    /// A point of the smooth surface, in ECEF or in the track's own frame, and the way up from it, of length 1.
    struct Point {
        Place place, up;
    };
    Point at(const MapPoint& point) const { return raised(point, smooth_height_m(point)); }
    double smooth_height_m(const MapPoint& point) const { return smooth_m_(point.x, point.y); }
    /// What the terrain rises above it.
    bool has_relief() const { return heights_ != nullptr; }
    double relief_m(const MapPoint& point) const;
    /// Of all pixels of a part of the grid, [row][column].
    std::vector<float> relief_m(const MapGrid& part) const;

    /// The same ground over a smooth surface that rises evenly both ways: as near to this one's as may be on the grid,
    /// but harmless beside it.
    std::shared_ptr<const MapGround> evened(const MapGrid& grid) const;

    struct Limits {
        double lowest_m = 0, highest_m = 0;
    };
    Limits limits() const { return limits_; }

private:
    MapGround(const MapProjection& projection, const SmoothSurface& smooth_m, const MapGround& of)
        : local_(of.local_),
          plane_(of.plane_),
          map_(projection),
          smooth_m_(smooth_m),
          heights_(of.heights_),
          limits_(of.limits_) {}
    Point raised(const MapPoint& point, double height_m) const;
    /// Along which heights of a point are counted: where it begins on the Earth, and by how much that changes for each
    /// metre. Above the plane of a scene it leans, as the Earth is round and such planes may be steep.
    struct Upright {
        double latitude_deg = 0, longitude_deg = 0, height_m = 0;
        double latitude_deg_per_m = 0, longitude_deg_per_m = 0, height_m_per_m = 1;
    };
    Upright upright(const MapPoint& point) const;
    /// How far along it the terrain lies.
    double terrain_m(const Upright& line) const;
    GeographicBox box_of(const MapGrid& grid, const HeightSurface* heights) const;
    std::shared_ptr<const HeightSurface> read_heights(const MapGrid& grid, TerrainSource& terrain) const;

    bool local_;
    std::optional<ScenePlane> plane_;
    MapTransform map_;
    SmoothSurface smooth_m_;
    std::shared_ptr<const HeightSurface> heights_;
    Limits limits_;
};

}  // namespace cornerturn
