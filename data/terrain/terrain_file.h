// SPDX-License-Identifier: Apache-2.0
// Digital elevation models: GeoTIFF in geographic coordinates, or an HDF5 file with the datasets height, latitude and
// longitude.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/acquisition/ground/terrain.h"

namespace cornerturn {

/// What heights are above: the WGS84 ellipsoid, or one of these geoids.
enum class HeightDatum { ellipsoid, egm96, egm2008 };
/// Throws InputError listing the names.
HeightDatum height_datum_named(const std::string& name);

/// Opens a file of either kind; its first bytes tell which. Heights above a geoid come out above the ellipsoid, by the
/// grid that PROJ has of it. `meant`: what they are above, where that is known better than by the file. Throws
/// InputError naming what was found and what was expected, where nothing tells what heights are above, and where PROJ
/// has no such grid. What a user should hear about its heights is added to `remarks`.
std::unique_ptr<TerrainSource> open_terrain(const std::string& path, std::optional<HeightDatum> meant,
                                            std::vector<std::string>& remarks);

/// How heights of a terrain from open_terrain came to be above the ellipsoid: "as stored", "by egm96_15.gtx".
std::string heights_of(const TerrainSource& terrain);

/// Of either kind, heights as stored.
struct StoredTerrain {
    std::unique_ptr<TerrainSource> source;
    std::optional<HeightDatum> datum = {};  ///< as the file says
    std::string says = {};                  ///< where that is none: "does not say what its heights are above"
};
StoredTerrain open_geotiff(const std::string& path);
StoredTerrain open_height_grid(const std::string& path);

}  // namespace cornerturn
