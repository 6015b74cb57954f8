// SPDX-License-Identifier: Apache-2.0
// Maps against figures that pyproj 3 (PROJ's own program) gave, grids, and the ground below them.
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/formers/map_plan.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "kernels/errors.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

TEST(MapProjection, PutsPlacesWhereProjDoes) {
    struct Known {
        int epsg;
        double longitude_deg, latitude_deg, x_m, y_m;
    };
    const Known known[] = {{32633, 15.2, 52.4, 513607.389780, 5805547.685233},
                           {32719, -70.9, -33.1, 322697.192308, 6336021.174301},
                           {32701, -179.2, -16.8, 265529.602279, 8141268.207458},
                           {3413, -45.3, 72.1, -10232.897847, -1954321.669531}};
    for (const Known& k : known) {
        const MapTransform map(MapProjection{k.epsg});
        const MapPoint point = map.of({k.longitude_deg, k.latitude_deg, 0});
        EXPECT_NEAR(point.x, k.x_m, 1e-5) << k.epsg;
        EXPECT_NEAR(point.y, k.y_m, 1e-5) << k.epsg;
        const Geographic back = map.at(point);
        EXPECT_NEAR(back.longitude_deg, k.longitude_deg, 1e-10) << k.epsg;
        EXPECT_NEAR(back.latitude_deg, k.latitude_deg, 1e-10) << k.epsg;
    }
    expect_in(MapTransform(MapProjection{32633}).well_known_text(), "\"32633\"");
}

TEST(MapProjection, ServesMoreThreadsAtOnceThanItHasToolsOfProj) {
    for (const int epsg : {32633, 3413}) {
        const MapTransform map(MapProjection{epsg});
        const auto sum_of_places = [&](int thread) {
            double sum = 0;
            for (int i = 0; i < 200; ++i) {
                const MapPoint point = map.of({.longitude_deg = 10 + 0.01 * thread, .latitude_deg = 60 + 0.1 * i});
                const Geographic back = map.at(point);
                sum += point.x + point.y + back.longitude_deg + back.latitude_deg;
            }
            return sum;
        };
        constexpr int count = 100;
        std::vector<double> sums(count);
        std::vector<std::thread> threads;
        for (int i = 0; i < count; ++i)
            threads.emplace_back([&, i] { sums[static_cast<std::size_t>(i)] = sum_of_places(i); });
        for (std::thread& thread : threads) thread.join();
        for (int i = 0; i < count; ++i)
            EXPECT_EQ(sums[static_cast<std::size_t>(i)], sum_of_places(i)) << epsg << ", thread " << i;
    }
}

TEST(MapProjection, EllipsoidsAreThoseOfProj) {
    const Vec3 point = point_of({15.2, 52.4, 1234.5});
    EXPECT_NEAR(point[0], 3764090.434943, 1e-5);
    EXPECT_NEAR(point[1], 1022680.736672, 1e-5);
    EXPECT_NEAR(point[2], 5031060.919095, 1e-5);
    EXPECT_NEAR(degree_size(52.4).latitude_m, 111274.940, 0.01);  // a geodesic of a tenth of a degree, times ten
    EXPECT_NEAR(degree_size(52.4).longitude_m, 68064.210, 0.01);
}

TEST(MapProjection, KnowsItsNames) {
    EXPECT_EQ(map_projection_named("utm:33n")->epsg, 32633);
    EXPECT_EQ(map_projection_named("UTM:19S")->epsg, 32719);
    EXPECT_EQ(map_projection_named("epsg:3413")->epsg, 3413);
    EXPECT_TRUE(map_projection_named("geographic")->in_degrees());
    EXPECT_TRUE(map_projection_named("local")->is_local());
    EXPECT_FALSE(map_projection_named("utm"));
    for (const char* wrong : {"utm:61n", "utm:33", "utm:", "epsg:", "epsg:x", "mercator", ""})
        EXPECT_THROW(map_projection_named(wrong), InputError) << wrong;
    EXPECT_EQ(MapProjection::utm_at({8.9999, 59.3, 0}).epsg, 32632);
    EXPECT_EQ(MapProjection::utm_at({-179.2, -16.8, 0}).epsg, 32701);
    EXPECT_EQ(MapProjection::utm_at({180.0, 1, 0}).epsg, 32601);
}

TEST(MapProjection, RefusesMapsThatAreNone) {
    EXPECT_THROW(MapTransform(MapProjection{1}), InputError);
    EXPECT_THROW(MapTransform(MapProjection{4269}), InputError) << "in degrees, but not WGS84's";
    EXPECT_THROW(MapTransform(MapProjection{2264}), InputError) << "in feet";
    EXPECT_THROW(MapTransform(MapProjection{32633}).of({0, 95, 0}), InputError) << "no latitude";
}

/// Edges of pixels lie on multiples of the spacing, whatever the area.
TEST(MapGrid, LongitudesCountOnOverTheAntimeridian) {
    const MapGrid east{MapProjection::geographic(), 10, 11, 179.5, 0.1, 45, -0.1},
        west{MapProjection::geographic(), 10, 11, -179.9, 0.1, 45, -0.1};
    EXPECT_NEAR(counted_as(west, east).first_x, 180.1, 1e-9);
    EXPECT_NEAR(counted_as(east, west).first_x, -180.5, 1e-9);
    EXPECT_EQ(counted_as(east, east), east);
    const MapGrid utm{MapProjection{32601}, 10, 11, 170000, 10, 5000000, -10};
    EXPECT_EQ(counted_as(utm, east), utm);
}

TEST(MapGrid, HoldsAnAreaOnMultiplesOfItsSpacing) {
    const MapGrid grid = grid_over(MapProjection{32633}, {500003, 5800011}, {500048, 5800029.5}, 10, 10);
    EXPECT_EQ(grid.columns, 5);
    EXPECT_EQ(grid.rows, 2);
    EXPECT_EQ(grid.x(0), 500005);
    EXPECT_EQ(grid.y(0), 5800025);
    EXPECT_EQ(grid.y(1), 5800015);
    EXPECT_EQ(grid.column_at(grid.x(2.5)), 2.5);
    EXPECT_EQ(grid.row_at(grid.y(0.75)), 0.75);
    const PixelSize pixel =
        pixel_size(grid_over(MapProjection::geographic(), {15, 52.3995}, {15.001, 52.4005}, 1e-4, 1e-4));
    EXPECT_NEAR(pixel.across_m, 6.8064, 1e-3);
    EXPECT_NEAR(pixel.down_m, 11.1275, 1e-3);
}

}  // namespace
}  // namespace cornerturn
