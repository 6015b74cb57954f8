// SPDX-License-Identifier: Apache-2.0
// Maps as SICD has them (PLANE): whether its plane, times and track lead back to the places of the map, and its
// spectra to those that pulses make. What other programs make of them: scripts/check-products.
#include <cmath>
#include <pugixml.hpp>

#include "data/sicd/geometry.h"
#include "data/sicd/xml.h"
#include "pipeline/acquisition/ground/map_ground.h"
#include "tests/data/image_fixture.h"

namespace cornerturn {
namespace {

class SicdPlaneTest : public StoredImageTest {
protected:
    SicdPlaneTest() {
        image_.acquisition.lines = 600;
        image_.processing.doppler_centroid_hz = 2000;
        image_.processing.range_window = image_.processing.azimuth_window = Window();
    }
    /// Of 75 x 40 pixels about a place at some 850 km, which has a Doppler frequency of 2 kHz when the pulses leave.
    void put_on_utm(double spacing_m, bool left = false) {
        look(left ? LookSide::left : LookSide::right);
        const MapProjection utm = MapProjection::utm_at({.longitude_deg = left ? -4.1 : 4.1, .latitude_deg = 0.0407});
        const MapPoint middle = MapTransform(utm).of({.longitude_deg = left ? -4.1 : 4.1, .latitude_deg = 0.0407});
        image_.map = MapGrid{.projection = utm,
                             .rows = rows,
                             .columns = columns,
                             .first_x = middle.x - 20 * spacing_m,
                             .x_step = spacing_m,
                             .first_y = middle.y + 37 * spacing_m,
                             .y_step = -spacing_m};
    }
    Vec3 place_m(const sicd::PixelPlace& pixel) const {
        const Place place = MapGround(image_.map->projection, image_.processing.scene_height_m)
                                .at({image_.map->x(pixel.column), image_.map->y(pixel.row)})
                                .place;
        return {place.x_m, place.y_m, place.z_m};
    }
};

/// A reader's way from a pixel to range and range rate (NGA.STND.0024-3, 4.4), against the ground of the map.
TEST_F(SicdPlaneTest, LeadsToThePlacesOfTheMap) {
    for (const bool left : {false, true})
        for (const char* source : {"orbit", velocity_of_all_pulses}) {
            SCOPED_TRACE(std::string(left ? "left " : "right ") + source);
            put_on_utm(10, left);
            image_.processing.velocity_source = source;
            const sicd::Geometry g = sicd::geometry_of(image_);
            EXPECT_FALSE(g.zero_doppler);
            EXPECT_EQ(g.rows, 40) << "range goes down, which is to the east or west";
            EXPECT_EQ(g.columns, 75);
            EXPECT_GT(dot(cross(g.row.axis, g.column.axis), unit(g.scp_m)), 0.99) << "seen from above";
            EXPECT_NEAR(dot(g.row.axis, g.column.axis), 0, 1e-12);
            for (const double row : {0.0, 20.0, 39.0})
                for (const double column : {0.0, 37.0, 74.0}) {
                    const double x = (row - static_cast<double>(g.scp_row)) * g.row.spacing_m,
                                 y = (column - static_cast<double>(g.scp_column)) * g.column.spacing_m;
                    const Vec3 on_plane = g.scp_m + x * g.row.axis + y * g.column.axis,
                               on_ground = place_m(g.ours({row, column}));
                    const double centre_s = sicd::value_at(g.centre_time_s, x, y);
                    const Vec3 antenna = g.track.position(centre_s), speed = g.track.velocity(centre_s);
                    const auto range_m = [&](const Vec3& place) { return norm(antenna - place); };
                    const auto rate_m_s = [&](const Vec3& place) { return dot(unit(antenna - place), speed); };
                    constexpr double bend_m = 0.015;  // of the Earth below a plane 420 m from where they touch
                    EXPECT_NEAR(range_m(on_plane), range_m(on_ground), bend_m);
                    EXPECT_NEAR(rate_m_s(on_plane), rate_m_s(on_ground), bend_m * 7500 / 850000);
                    EXPECT_GT(dot(unit(on_plane - antenna), g.row.axis), 0.3) << "shadows fall downwards";
                    if (source != velocity_of_all_pulses) {
                        EXPECT_NEAR(-2 / image_.acquisition.wavelength_m() * rate_m_s(on_ground), 2000, 1);
                    }
                }
        }
}

/// A pulse at the middle of its band tells the spatial frequency 2 f / c along its line of sight.
TEST_F(SicdPlaneTest, TellsWhereSpectraLie) {
    put_on_utm(2);
    const sicd::Geometry g = sicd::geometry_of(image_);
    for (const double row : {0.0, 39.0})
        for (const double column : {0.0, 74.0}) {
            const double x = (row - static_cast<double>(g.scp_row)) * g.row.spacing_m,
                         y = (column - static_cast<double>(g.scp_column)) * g.column.spacing_m;
            const Vec3 place = place_m(g.ours({row, column}));
            const Vec3 sight = unit(place - g.track.position(sicd::value_at(g.centre_time_s, x, y)));
            const double per_m = 2 / image_.acquisition.wavelength_m();
            for (const auto& direction : {g.row, g.column}) {
                const double whole = direction.centre * direction.spacing_m;
                EXPECT_NEAR(whole, std::round(whole), 1e-9) << "where the samples' frequency 0 is";
                EXPECT_NEAR(direction.centre + sicd::value_at(direction.offset, x, y),
                            per_m * dot(sight, direction.axis), 0.01 * direction.bandwidth);
            }
        }
    // Of a band that is nearly a rectangle along the axes the response is that of a band of each axis.
    EXPECT_NEAR(g.row.width_m * g.row.bandwidth, 0.886, 0.1);
    EXPECT_NEAR(g.row.bandwidth, 2 / speed_of_light_m_s * 8e7 * dot(unit(g.scp_m - g.track.position(0)), g.row.axis),
                0.1 * g.row.bandwidth);
}

TEST_F(SicdPlaneTest, SaysThatItIsAPlane) {
    put_on_utm(10);
    image_.processing.velocity_source = velocity_of_all_pulses;
    pugi::xml_document document;
    ASSERT_TRUE(document.load_string(sicd::metadata(image_, sicd::geometry_of(image_)).c_str()));
    const pugi::xml_node sicd = document.child("SICD");
    EXPECT_STREQ(sicd.child("Grid").child("Type").text().get(), "PLANE");
    EXPECT_STREQ(sicd.child("Grid").child("ImagePlane").text().get(), "GROUND");
    EXPECT_STREQ(sicd.child("ImageFormation").child("ImageFormAlgo").text().get(), "OTHER");
    EXPECT_STREQ(sicd.child("CollectionInfo").child("RadarMode").child("ModeType").text().get(), "SPOTLIGHT");
    EXPECT_FALSE(sicd.child("RMA"));
    EXPECT_FALSE(sicd.child("Radiometric")) << "of which nothing is known";
}

TEST_F(SicdPlaneTest, RefusesWhatIsNoPlane) {
    put_on_utm(10);
    EXPECT_NO_THROW(sicd::geometry_of(image_));
    put_on_utm(2000);
    expect_refused([&] { sicd::geometry_of(image_); }, {"SICD", "no plane", "pixels", ".tif"});
    put_on_utm(10);
    image_.processing.terrain = "alps.tif";
    expect_refused([&] { sicd::geometry_of(image_); }, {"SICD", "alps.tif", "--dem"});
    image_.processing.terrain = "";
    image_.map->projection = MapProjection::local();
    expect_refused([&] { sicd::geometry_of(image_); }, {"SICD", "local plane"});
    put_on_utm(10);
    image_.acquisition.orbit.reset();
    expect_refused([&] { sicd::geometry_of(image_); }, {"SICD", "no orbit"});
}

}  // namespace
}  // namespace cornerturn
