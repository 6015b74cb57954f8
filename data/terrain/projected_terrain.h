// SPDX-License-Identifier: Apache-2.0
// Elevation models on a map (UTM, polar stereographic), read as grids of latitude and longitude.
#pragma once

#include <memory>
#include <string>

#include "data/terrain/raster_terrain.h"
#include "pipeline/acquisition/ground/map_projection.h"

namespace cornerturn {

class ProjectedTerrain final : public TerrainSource {
public:
    /// `raster` has y and x in m for its latitudes and longitudes. Throws InputError where PROJ knows no such map.
    ProjectedTerrain(std::unique_ptr<RasterTerrain> raster, const MapProjection& projection);

    const std::string& name() const override { return raster_->name(); }
    GeographicBox extent() const override { return extent_; }
    /// Heights between the raster's, which are means where cells are larger than its pixels.
    HeightGrid read(const GeographicBox& box, double latitude_step_deg, double longitude_step_deg) override;

private:
    std::unique_ptr<RasterTerrain> raster_;
    MapTransform map_;
    GeographicBox extent_;
};

}  // namespace cornerturn
