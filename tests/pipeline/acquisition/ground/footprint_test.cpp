// SPDX-License-Identifier: Apache-2.0
// Places, angles and outlines, against the independent geometry of the proof and closed forms.
#include "pipeline/acquisition/ground/footprint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pipeline/proof/geodesy.h"

namespace cornerturn {
namespace {

constexpr double degree = std::numbers::pi / 180;

TEST(Footprint, PlacesHaveTheirLatitudeLongitudeAndHeight) {
    for (const double latitude : {-90.0, -89.999, -45.0, -1e-7, 0.0, 30.0, 89.9, 90.0})
        for (const double longitude : {-179.99, -60.0, 0.0, 180.0})
            for (const double height : {-400.0, 0.0, 9000.0, 800e3}) {
                const Geographic place = geographic(to_ecef({latitude, longitude, height}));
                // Positions of 7e6 m in double: 1e-9 m, and some rounds of arithmetic.
                EXPECT_NEAR(place.latitude_deg, latitude, 1e-13 * 180) << latitude << ", " << height;
                EXPECT_NEAR(place.height_m, height, 1e-8) << latitude << ", " << height;
                if (std::abs(latitude) < 90) {
                    EXPECT_NEAR(std::remainder(place.longitude_deg - longitude, 360.0), 0, 1e-9);
                }
            }
}

TEST(Footprint, LocalFramesAreRightHandedAndPointNorth) {
    const LocalFrame frame = local_frame({.longitude_deg = 40, .latitude_deg = 50, .height_m = 0});
    const Vec3 up = cross(frame.east, frame.north);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(up[k], frame.up[k], 1e-15);
    EXPECT_NEAR(frame.up[2], std::sin(50 * degree), 1e-15);
    EXPECT_GT(frame.north[2], 0);
    EXPECT_EQ(frame.east[2], 0);
}

/// A satellite over the equator that flies at some angle from north.
StateVector platform(double heading, double height_m = 700e3, double longitude_deg = 0) {
    const Vec3 position = to_ecef({0, longitude_deg, height_m});
    const LocalFrame frame = local_frame({.longitude_deg = longitude_deg, .latitude_deg = 0, .height_m = 0});
    return {position, 7500 * (std::sin(heading * degree) * frame.east + std::cos(heading * degree) * frame.north)};
}

TEST(Footprint, HeadingIsClockwiseFromNorth) {
    for (const double heading : {0.0, 12.0, 90.0, 192.5, 347.0})
        EXPECT_NEAR(heading_deg(platform(heading, 700e3, 33)), heading, 1e-9);
}

/// Northwards over the equator: what is seen lies on the equator, a circle, east when looking right.
TEST(Footprint, ViewsOnTheEquatorFollowTheTriangleOfTheCircle) {
    const double earth = wgs84_equatorial_radius_m, far = earth + 700e3, range = 900e3;
    const double at_centre = std::acos((far * far + earth * earth - range * range) / (2 * far * earth));
    const double off_nadir = std::acos((far * far + range * range - earth * earth) / (2 * far * range));
    for (const LookSide side : {LookSide::right, LookSide::left}) {
        const double east = side == LookSide::right ? 1 : -1;
        const auto view = ground_view(platform(0), range, side, 0);
        ASSERT_TRUE(view);
        EXPECT_NEAR(view->place.longitude_deg, east * at_centre / degree, 1e-9);
        EXPECT_NEAR(view->place.latitude_deg, 0, 1e-12);
        EXPECT_NEAR(view->place.height_m, 0, 1e-6);
        EXPECT_NEAR(view->incidence_deg, (at_centre + off_nadir) / degree, 1e-9);
        EXPECT_NEAR(view->elevation_deg, off_nadir / degree, 1e-9);
        EXPECT_NEAR(view->to_antenna_east, -east * std::sin(at_centre + off_nadir), 1e-12);
        EXPECT_NEAR(view->to_antenna_north, 0, 1e-12);
        EXPECT_NEAR(view->along_track_east, 0, 1e-12);
        EXPECT_NEAR(view->along_track_north, 1, 1e-12);
        EXPECT_NEAR(view->ground_track_velocity_m_s, 7500 * std::cos(at_centre) * earth / far, 1e-6);
    }
}

TEST(Footprint, RangesThatEndAboveTheGroundShowNothing) {
    EXPECT_FALSE(ground_view(platform(0), 600e3, LookSide::right, 0));
}

/// Straight over the equator at some angle from north, for a few seconds.
Orbit orbit(double heading, double longitude_deg) {
    Orbit orbit;
    const StateVector start = platform(heading, 700e3, longitude_deg);
    for (int i = 0; i < 8; ++i) {
        orbit.add(i, {start.position_m + static_cast<double>(i) * start.velocity_m_s, start.velocity_m_s});
    }
    return orbit;
}

constexpr ImageGrid grid{.rows = 1001,
                         .columns = 501,
                         .first_time_s = 2,
                         .time_spacing_s = 0.002,
                         .near_range_m = 850e3,
                         .range_spacing_m = 40};

TEST(Footprint, OutlinesRunCounterClockwiseFromFirstTimeAndNearRange) {
    for (const double heading : {0.0, 100.0, 190.0, 350.0})
        for (const LookSide side : {LookSide::right, LookSide::left}) {
            const Orbit flight = orbit(heading, 20);
            const auto ring = outline(flight, side, grid, 150, 4);
            ASSERT_EQ(ring.size(), 13u);
            double area = 0;
            for (std::size_t i = 0; i + 1 < ring.size(); ++i)
                area +=
                    ring[i].longitude_deg * ring[i + 1].latitude_deg - ring[i + 1].longitude_deg * ring[i].latitude_deg;
            EXPECT_GT(area, 0) << heading;
            // Every corner where the independent geometry has it; 1e-5 of the height off, which is 1.5 mm.
            const auto expect_at = [&](const Geographic& place, double row, double column) {
                const StateVector state = interpolate(flight, grid.time_s(row));
                const Geodetic expected =
                    to_geodetic(place_at(state.position_m, state.velocity_m_s, grid.range_m(column), 0, 150, side));
                EXPECT_NEAR(place.latitude_deg, expected.latitude_deg, 1e-7);
                EXPECT_NEAR(place.longitude_deg, expected.longitude_deg, 1e-7);
                EXPECT_NEAR(place.height_m, 150, 0.002);
            };
            const bool right = side == LookSide::right;
            expect_at(ring[0], 0, 0);
            expect_at(ring[3], right ? 0 : 1000, right ? 500 : 0);
            expect_at(ring[6], 1000, 500);
            expect_at(ring[9], right ? 1000 : 0, right ? 0 : 500);
            expect_at(ring[12], 0, 0);
        }
}

TEST(Footprint, OutlinesDoNotJumpAtTheDateLine) {
    const auto ring = outline(orbit(10, 175.65), LookSide::right, grid, 0, 11);
    ASSERT_FALSE(ring.empty());
    double west = 1e9, east = -1e9;
    for (const Geographic& place : ring)
        west = std::min(west, place.longitude_deg), east = std::max(east, place.longitude_deg);
    EXPECT_LT(west, 180);
    EXPECT_GT(east, 180);
    EXPECT_LT(east - west, 1);
}

TEST(Footprint, NoOutlineWhereTheSwathBeginsAboveTheGround) {
    ImageGrid above = grid;
    above.near_range_m = 690e3;
    EXPECT_TRUE(outline(orbit(0, 0), LookSide::left, above, 0, 3).empty());
}

}  // namespace
}  // namespace cornerturn
