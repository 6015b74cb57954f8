// SPDX-License-Identifier: Apache-2.0
// Images as SICD: bytes of the file, and whether its metadata lead back to where the samples lie. What other programs
// make of them: scripts/check-products.
#include "data/sicd/sicd_image.h"

#include <cmath>
#include <pugixml.hpp>

#include "data/product/product_file.h"
#include "data/sicd/geometry.h"
#include "data/sicd/nitf.h"
#include "data/sicd/xml.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/line_of_sight.h"
#include "tests/data/image_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class SicdTest : public StoredImageTest {
protected:
    SicdTest() {
        image_.acquisition.azimuth_bandwidth_hz.reset();
        ProcessingRecord& made = image_.processing;
        made.range_window = made.azimuth_window = Window();
        made.doppler_centroid_hz = -4321;
        made.scene_height_m = 0;
        made.effective_velocity_m_s.assign(40, 7100);
        image_.samples.clear();
        for (int i = 0; i < 75 * 40; ++i)
            image_.samples.emplace_back(static_cast<float>(i / 40), 0.5f * static_cast<float>(i % 40));
    }
    void write(const std::string& name, bool finish = true) {
        SicdImage file(path(name), 1);  // as few columns at once as there may be
        file.begin(image_);
        file.write(0, std::span(image_.samples).first(40 * 50));
        file.write(50, std::span(image_.samples).subspan(40 * 50));
        EXPECT_EQ(file.written_bytes(), image_.samples.size() * 8);
        if (finish) file.commit();
    }
    std::string text_of(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

std::int64_t number(const std::string& text, std::size_t at, std::size_t digits) {
    return std::stoll(text.substr(at, digits));
}

/// Where things are in a NITF file of one image and one piece of XML.
struct Parts {
    explicit Parts(const std::string& file)
        : header(file.substr(0, static_cast<std::size_t>(number(file, 354, 6)))),
          image_header(static_cast<std::size_t>(number(file, 363, 6))),
          image_bytes(static_cast<std::size_t>(number(file, 369, 10))),
          xml_header(static_cast<std::size_t>(number(file, 391, 4))),
          xml_bytes(static_cast<std::size_t>(number(file, 395, 9))),
          samples(header.size() + image_header),
          xml(samples + image_bytes + xml_header) {}
    std::string header;
    std::size_t image_header, image_bytes, xml_header, xml_bytes, samples, xml;
};

float big_endian_float(const std::string& text, std::size_t at) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) bits = bits << 8 | static_cast<unsigned char>(text[at + i]);
    float value = 0;
    std::memcpy(&value, &bits, 4);
    return value;
}

TEST_F(SicdTest, IsNitfWithTheSamplesTurned) {
    for (const LookSide side : {LookSide::right, LookSide::left}) {
        look(side);
        write("a.nitf");
        const std::string file = text_of("a.nitf");
        ASSERT_EQ(file.substr(0, 9), "NITF02.10");
        EXPECT_EQ(number(file, 342, 12), static_cast<std::int64_t>(file.size()));
        const Parts parts(file);
        EXPECT_EQ(number(file, 360, 3), 1) << "images";
        EXPECT_EQ(parts.image_bytes, 75u * 40 * 8);
        EXPECT_EQ(parts.xml + parts.xml_bytes, file.size());
        EXPECT_EQ(file.substr(parts.header.size(), 9), "IMSICD000");
        EXPECT_EQ(file.substr(parts.samples + parts.image_bytes, 18), "DEXML_DATA_CONTENT");
        EXPECT_EQ(number(file, parts.header.size() + 333, 8), 40) << "rows: range";
        EXPECT_EQ(number(file, parts.header.size() + 341, 8), 75);
        for (const std::int64_t row : {0, 17, 39})
            for (const std::int64_t column : {0, 31, 32, 74}) {
                const std::size_t at = parts.samples + static_cast<std::size_t>(8 * (75 * row + column));
                const std::int64_t line = side == LookSide::left ? 74 - column : column;
                EXPECT_EQ(big_endian_float(file, at), static_cast<float>(line)) << row << " " << column;
                EXPECT_EQ(big_endian_float(file, at + 4), 0.5f * static_cast<float>(row));
            }
        pugi::xml_document document;
        ASSERT_TRUE(document.load_string(file.substr(parts.xml).c_str()));
        const pugi::xml_node sicd = document.child("SICD");
        EXPECT_STREQ(sicd.attribute("xmlns").value(), "urn:SICD:1.3.0");
        EXPECT_EQ(sicd.child("ImageData").child("NumRows").text().as_int(), 40);
        EXPECT_STREQ(sicd.child("Timeline").child("CollectStart").text().get(), "2026-03-01T00:01:50.000000Z");
        EXPECT_STREQ(sicd.child("RMA").child("RMAlgoType").text().get(), "OMEGA_K");
        EXPECT_STREQ(sicd.child("SCPCOA").child("SideOfTrack").text().get(), side == LookSide::left ? "L" : "R");
        EXPECT_STREQ(sicd.child("ImageFormation").child("TxRcvPolarizationProc").text().get(), "H:V");
    }
}

/// SICD's way from a pixel to range and range rate (NGA.STND.0024-3, 4.3) against the orbit itself: the image is at
/// zero Doppler two seconds before the beam's centre.
TEST_F(SicdTest, LeadsToThePlacesOfItsPixels) {
    for (const LookSide side : {LookSide::right, LookSide::left}) {
        look(side);
        const sicd::Geometry g = sicd::geometry_of(image_);
        EXPECT_LT(g.track.largest_error_m, 1e-4);
        EXPECT_LT(dot(cross(g.row.axis, g.column.axis), unit(g.scp_m)) * -1, 0) << "seen from above";
        for (const std::int64_t row : {0, 20, 39})
            for (const std::int64_t column : {0, 37, 74}) {
                const double x = static_cast<double>(row - g.scp_row) * g.row.spacing_m,
                             y = static_cast<double>(column - g.scp_column) * g.column.spacing_m;
                const auto& inca = *g.zero_doppler;
                const double closest_s = sicd::value_at(inca.closest_time_s, y),
                             centre_s = sicd::value_at(g.centre_time_s, x, y), later_s = centre_s - closest_s,
                             factor = sicd::value_at(inca.rate_factor, x, y), closest_m = inca.closest_range_m + x,
                             speed = norm(g.track.velocity(closest_s));
                const double range_m = std::sqrt(closest_m * closest_m + factor * speed * speed * later_s * later_s),
                             rate_m_s = factor / range_m * speed * speed * later_s;
                // Of the place by the grid's own definition.
                const std::int64_t line = side == LookSide::left ? 74 - column : column;
                const double time_s = image_.grid.time_s(static_cast<double>(line));
                const Orbit& orbit = *image_.acquisition.orbit;
                const Vec3 place = zero_doppler_ground_point(interpolate(orbit, time_s),
                                                             image_.grid.range_m(static_cast<double>(row)), side)
                                       .position_m;
                const StateVector antenna = interpolate(orbit, time_s + later_s);
                EXPECT_NEAR(closest_s, time_s - 140, 1e-9);
                EXPECT_GT(later_s, 1);
                EXPECT_NEAR(range_m, norm(antenna.position_m - place), 0.01);
                EXPECT_NEAR(rate_m_s, dot(unit(antenna.position_m - place), antenna.velocity_m_s), 1e-4);
                EXPECT_NEAR(-2 * rate_m_s / image_.acquisition.wavelength_m(), -4321, 0.05) << "its Doppler frequency";
            }
    }
}

TEST_F(SicdTest, TellsWhereSpectraLie) {
    look(LookSide::right);
    const sicd::Geometry g = sicd::geometry_of(image_);
    const double speed = g.column.spacing_m * 1500;  // of zero Doppler on the ground
    EXPECT_NEAR(g.row.centre, 2 * 9.65e9 / speed_of_light_m_s, 1e-9);
    EXPECT_NEAR(sicd::value_at(g.column.offset, 0, 0), (-4321 + 3 * 1500) / speed, 1e-9) << "but for whole rates";
    EXPECT_NEAR(g.column.offsets.high - g.column.offsets.low, 1000 / speed, 1e-6);
    EXPECT_NEAR(g.row.width_m, 0.8859 / g.row.bandwidth, 1e-4 / g.row.bandwidth);
    const double sine = -4321 * image_.acquisition.wavelength_m() / 2 / 7100;
    EXPECT_NEAR(sicd::value_at(g.row.offset, 0, 0), -g.row.centre * (1 - std::sqrt(1 - sine * sine)),
                0.02 * g.row.bandwidth);
    look(LookSide::left);
    EXPECT_NEAR(sicd::value_at(sicd::geometry_of(image_).column.offset, 0, 0), (4321 - 3 * 1500) / speed, 1e-9);
    image_.processing.range_window = Window::parse("hamming");
    EXPECT_NEAR(sicd::geometry_of(image_).row.width_m * g.row.bandwidth, 1.303, 0.002);
}

TEST_F(SicdTest, DescribesTheSceneFromItsCentre) {
    look(LookSide::right);
    image_.processing.doppler_centroid_hz = 0;
    const sicd::Geometry g = sicd::geometry_of(image_);
    const double time_s = g.centre_time_s[0][0];
    const StateVector antenna{g.track.position(time_s), g.track.velocity(time_s)};
    const LineOfSight c = line_of_sight(antenna, g.scp_m);
    EXPECT_FALSE(c.left);
    EXPECT_NEAR(c.cone_deg, 90, 1e-6);
    EXPECT_NEAR(c.slant_range_m, 850030, 1e-3);
    EXPECT_NEAR(c.graze_deg, 90 - incidence_angle_rad(antenna.position_m, g.scp_m) * 180 / M_PI, 1e-9);
    EXPECT_NEAR(c.azimuth_deg, 270, 0.2) << "the scene is east of a satellite that goes north";
    EXPECT_NEAR(c.layover_deg, 270, 0.2) << "high points fall towards it";
    EXPECT_NEAR(c.slope_deg, c.graze_deg, 0.01);
    EXPECT_NEAR(c.twist_deg, 0, 0.1);
    EXPECT_NEAR(norm(g.track.acceleration(time_s)), 7500.0 * 7500 / 7078137, 1e-3);
}

TEST_F(SicdTest, IsThereWhenItIsComplete) {
    write("a.nitf", false);
    EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
    SicdImage file(path("a.nitf"));
    file.begin(image_);
    expect_refused([&] { file.begin(image_); }, {"a.nitf", "one image"});
    EXPECT_THROW(file.write(2, image_.samples), std::logic_error) << "out of order";
    expect_refused([&] { check_product(path("a.nitf"), {.images = 2}); }, {"one polarization"});
    expect_refused([&] { check_product(path("a.ntf"), {.storage = {.compression = 3}}); }, {"--compress 3"});
    expect_refused([&] { check_product(path("a.ntf"), {.tiff = TiffContent::decibel}); }, {"--tiff", "a.ntf"});
    image_.grid.near_range_m = 1000;
    expect_refused([&] { sicd::geometry_of(image_); }, {"SICD", "does not reach the ground"});
    image_.acquisition.orbit.reset();
    expect_refused([&] { sicd::geometry_of(image_); }, {"SICD", "no orbit"});
}

TEST_F(SicdTest, IntegersHaveTheirBytesAndTheirNames) {
    struct Case {
        SampleType type;
        std::size_t bytes;
        const char *name, *number, *bands;
    };
    for (const Case& c : {Case{SampleType::int16, 4, "RE16I_IM16I", "SI ", "IQ"},
                          Case{SampleType::amplitude_phase8, 2, "AMP8I_PHS8I", "INT", "MP"}}) {
        SCOPED_TRACE(c.name);
        look(LookSide::right);
        SicdImage to(path("a.nitf"), c.type, 80);
        to.begin(image_);
        to.write(0, image_.samples);
        to.commit();
        EXPECT_EQ(to.written_bytes(), image_.samples.size() * c.bytes);
        EXPECT_TRUE(to.remarks().empty());
        const std::string file = text_of("a.nitf");
        const Parts parts(file);
        EXPECT_EQ(parts.image_bytes, 75u * 40 * c.bytes);
        EXPECT_EQ(parts.xml + parts.xml_bytes, file.size());
        EXPECT_EQ(file.substr(parts.header.size() + 349, 3), c.number);
        EXPECT_EQ(number(file, parts.header.size() + 368, 2), static_cast<std::int64_t>(4 * c.bytes)) << "ABPP";
        IntegerSamples codes(c.type, 80);
        for (const std::int64_t row : {0, 39})
            for (const std::int64_t column : {0, 33, 74}) {
                const std::size_t at = parts.samples + c.bytes * static_cast<std::size_t>(75 * row + column);
                const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(file[at + i]); };
                const auto expected = codes.codes(image_.samples[static_cast<std::size_t>(40 * column + row)]);
                const int first = c.bytes == 4 ? static_cast<std::int16_t>(byte(0) << 8 | byte(1)) : byte(0),
                          second = c.bytes == 4 ? static_cast<std::int16_t>(byte(2) << 8 | byte(3)) : byte(1);
                EXPECT_EQ(first, expected.first) << row << " " << column;
                EXPECT_EQ(second, expected.second) << row << " " << column;
            }
        pugi::xml_document document;
        ASSERT_TRUE(document.load_string(file.substr(parts.xml).c_str()));
        const pugi::xml_node data = document.child("SICD").child("ImageData");
        EXPECT_STREQ(data.child("PixelType").text().get(), c.name);
        EXPECT_EQ(data.child("AmpTable").attribute("size").as_int(), c.bytes == 2 ? 256 : 0);
    }
    SicdImage to(path("a.nitf"), SampleType::int16, 10);
    to.begin(image_);
    to.write(0, image_.samples);
    to.commit();
    ASSERT_EQ(to.remarks().size(), 1u);
    expect_in(to.remarks()[0], "beyond the full scale of 10");
}

TEST(Nitf, CutsLargeImagesIntoSegments) {
    EXPECT_EQ(nitf::segments_of(16384, 16384).size(), 1u);
    const std::int64_t columns = 60000, rows = 50000;
    const auto segments = nitf::segments_of(rows, columns);
    ASSERT_EQ(segments.size(), 3u);
    EXPECT_LE(segments[0].rows * columns * 8, 9'999'999'998);
    EXPECT_GT((segments[0].rows + 1) * columns * 8, 9'999'999'998);
    EXPECT_EQ(segments[1].first_row, segments[0].rows);
    EXPECT_EQ(segments[2].first_row + segments[2].rows, rows);
    EXPECT_EQ(nitf::segments_of(1'400'000, 1000)[0].rows, 99999);
    nitf::Contents contents;
    contents.rows = rows;
    contents.columns = columns;
    contents.xml = "<SICD/>";
    const nitf::Layout layout = nitf::layout_of(contents);
    ASSERT_EQ(layout.texts.size(), 5u);  // headers of images, XML, header of the file
    EXPECT_EQ(layout.texts[1].text.substr(2, 7), "SICD002");
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(layout.segments[i].place, layout.texts[i].place + layout.texts[i].text.size());
    EXPECT_EQ(layout.texts[1].place, layout.segments[0].place + static_cast<std::uint64_t>(segments[0].rows) * 480000);
    EXPECT_EQ(layout.bytes, layout.texts[3].place + layout.texts[3].text.size());
    contents.columns = 100'000'000;
    expect_refused([&] { nitf::layout_of(contents); }, {"NITF", "100000000", ".h5"});
}

TEST(Nitf, TellsTimesInMicroseconds) {
    const Epoch epoch = *parse_epoch("2026-12-31T23:59:59");
    EXPECT_EQ(sicd::utc_text(epoch.plus(0.1234564)), "2026-12-31T23:59:59.123456Z");
    EXPECT_EQ(sicd::utc_text(epoch.plus(0.9999999)), "2027-01-01T00:00:00.000000Z");
}

}  // namespace
}  // namespace cornerturn
