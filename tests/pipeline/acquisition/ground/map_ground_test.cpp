// SPDX-License-Identifier: Apache-2.0
// The ground below maps of planes: where their uprights meet a terrain.
#include "pipeline/acquisition/ground/map_ground.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/geodesy.h"
#include "tests/pipeline/terrain_by_formula.h"

namespace cornerturn {
namespace {

/// At 45 degrees north, tilted to the east by a slope; 400 x 300 m.
MapGrid grid_on_plane(double slope) {
    const Vec3 origin_m = point_of({.longitude_deg = 8, .latitude_deg = 45, .height_m = 300});
    const LocalFrame frame = local_frame(geographic(origin_m));
    return {.projection = MapProjection::on({origin_m, unit(frame.east + slope * frame.up), frame.north}),
            .rows = 301,
            .columns = 401,
            .first_x = -200,
            .x_step = 1,
            .first_y = 150,
            .y_step = -1};
}

/// Each pixel lies on the terrain, to what is a degree of phase in X band; on tilted planes to what the Earth bends by
/// while an upright leans by 33 m. Heights of the model are straight over latitude and longitude, as interpolation has
/// them, and known up to half a cell within the map's edges.
TEST(MapGround, PixelsOfAPlaneLieOnTheTerrain) {
    const auto height_m = [](double latitude_deg, double longitude_deg) {
        return 350 + 0.2 * 111000 * (latitude_deg - 45) + 0.3 * 78000 * (longitude_deg - 8);
    };
    for (const double slope : {0.0, 0.3, -0.3}) {
        SCOPED_TRACE(slope);
        const MapGrid grid = grid_on_plane(slope);
        TerrainByFormula terrain({44.98, 45.02, 7.98, 8.02}, height_m);
        std::vector<std::string> remarks;
        const MapGround ground(grid, terrain, remarks);
        const std::vector<float> relief_m = ground.relief_m(grid);
        for (const std::int64_t row : {37, 150, 280})
            for (const std::int64_t column : {30, 63, 200, 370}) {
                const MapPoint point{grid.x(static_cast<double>(column)), grid.y(static_cast<double>(row))};
                const auto relief = static_cast<double>(relief_m[static_cast<std::size_t>(row * 401 + column)]);
                const auto [at, up] = ground.at(point);
                const Geodetic place =
                    to_geodetic({at.x_m + relief * up.x_m, at.y_m + relief * up.y_m, at.z_m + relief * up.z_m});
                EXPECT_NEAR(place.height_m, height_m(place.latitude_deg, place.longitude_deg), slope == 0 ? 1e-4 : 5e-4)
                    << row << ", " << column;
                EXPECT_NEAR(ground.relief_m(point), relief, 1e-4);
            }
    }
}

}  // namespace
}  // namespace cornerturn
