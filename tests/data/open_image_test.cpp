// SPDX-License-Identifier: Apache-2.0
// Images of all formats through one door: what our writers made comes back, samples bit for bit or to the error of
// their type, with the geometry that the format has a place for; and what is damaged is refused in one line.
#include "data/open_image.h"

#include <algorithm>
#include <cmath>

#include "data/nisar/epoch.h"
#include "data/product/product_file.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "tests/data/product_fixture.h"

namespace cornerturn {
namespace {

/// A satellite at 700 km on a circle over an Earth at rest, as it passes the equator going north.
Orbit orbit_over_the_equator() {
    constexpr double radius_m = 7078137, speed_m_s = 7500;
    Orbit orbit;
    for (int i = 0; i < 9; ++i) {
        const double time_s = 100 + 10.0 * i, angle = speed_m_s / radius_m * (time_s - 140);
        orbit.time_s.push_back(time_s);
        orbit.position_m.push_back({radius_m * std::cos(angle), 0, radius_m * std::sin(angle)});
        orbit.velocity_m_s.push_back({-speed_m_s * std::sin(angle), 0, speed_m_s * std::cos(angle)});
    }
    return orbit;
}

class OpenImage : public ProductTest {
protected:
    static constexpr std::int64_t rows = 75, columns = 40;

    OpenImage() {
        Acquisition& a = image_.acquisition;
        a = small_echo(SampleFormat::complex64).acquisition;
        a.orbit = orbit_over_the_equator();
        a.first_pulse_time_s = 140.0000004;
        a.prf_hz = 1500;
        a.lines = 300;
        a.azimuth_bandwidth_hz = 900;
        image_.grid = {.rows = rows,
                       .columns = columns,
                       .first_time_s = 138,
                       .time_spacing_s = 1 / 1500.0,
                       .near_range_m = 850000,
                       .range_spacing_m = 1.5};
        ProcessingRecord& made = image_.processing;
        made.algorithm = "omega_k";
        made.software = "test";
        made.doppler_centroid_hz = -432.1;
        made.range_bandwidth_hz = 8e7;
        made.azimuth_bandwidth_hz = 1000;
        made.range_window = Window::parse("kaiser:2.5");
        made.azimuth_window = Window::parse("taylor:5:30");
        made.scene_height_m = 123.5;
        for (std::int64_t k = 0; k < columns; ++k)
            made.effective_velocity_m_s.push_back(7100 + 0.01 * static_cast<double>(k));
        for (int i = 0; i < rows * columns; ++i)
            image_.samples.emplace_back(0.1f * static_cast<float>(i / columns - 30),
                                        0.3f * static_cast<float>(i % columns));
    }
    void put_on(const MapProjection& projection, double step) {
        image_.map = MapGrid{projection, rows, columns, 500001.5, step, 51251.25, -step};
        if (projection.in_degrees()) image_.map->first_x = 12, image_.map->first_y = 48;
        if (projection.is_plane()) image_.map->first_x = -20.25, image_.map->first_y = 30.75;
    }
    void look(LookSide side) { image_.acquisition.identification.look_side = side; }
    void write(const std::string& name, const SampleStorage& samples = {}) {
        const auto file = product_file(path(name), {.on_map = image_.map.has_value(), .samples = samples});
        file->begin(image_);
        file->write(0, std::span(image_.samples).first(columns * 50));
        file->write(50, std::span(image_.samples).subspan(columns * 50));
        file->commit();
    }
    /// The samples as pass_to and as two patches of view tell them.
    std::vector<std::complex<float>> samples_of(StoredImage& stored) {
        ImageInMemory whole;
        stored.pass_to(whole);
        for (const PixelBlock& block : {PixelBlock{3, 20, 7, 11}, PixelBlock{0, rows, columns - 1, 1}}) {
            const Pixels patch = stored.view().read(block);
            for (std::int64_t i = block.first_row; i < block.first_row + block.rows; ++i)
                for (std::int64_t k = block.first_column; k < block.first_column + block.columns; ++k)
                    EXPECT_EQ(patch.at(i, k), whole.image.samples[static_cast<std::size_t>(i * columns + k)]);
        }
        return std::move(whole.image.samples);
    }
    void expect_same_axes(const Image& got) {
        const ImageGrid &grid = got.grid, &given = image_.grid;
        EXPECT_EQ(grid.rows, given.rows);
        EXPECT_EQ(grid.columns, given.columns);
        const double later_s =
            parse_epoch(got.acquisition.epoch)->seconds_since(*parse_epoch(image_.acquisition.epoch));
        EXPECT_NEAR(grid.first_time_s + later_s, given.first_time_s, 1e-9);
        EXPECT_NEAR(grid.time_spacing_s, given.time_spacing_s, 1e-14);
        EXPECT_NEAR(grid.near_range_m, given.near_range_m, 1e-6);
        EXPECT_NEAR(grid.range_spacing_m, given.range_spacing_m, 1e-12);
        for (const double time_s : {138.0, 138.05, 140.1}) {
            const StateVector at = interpolate(*got.acquisition.orbit, time_s - later_s),
                              right = interpolate(*image_.acquisition.orbit, time_s);
            EXPECT_LT(norm(at.position_m - right.position_m), 1e-3);
            EXPECT_LT(norm(at.velocity_m_s - right.velocity_m_s), 1e-3);
        }
    }
    void expect_same_record(const Image& got) {
        const ProcessingRecord &made = got.processing, &given = image_.processing;
        EXPECT_EQ(made.algorithm, given.algorithm);
        EXPECT_EQ(made.software, given.software);
        EXPECT_NEAR(made.doppler_centroid_hz, given.doppler_centroid_hz, 1e-6);
        EXPECT_NEAR(made.range_bandwidth_hz, given.range_bandwidth_hz, 1e-3);
        EXPECT_NEAR(made.azimuth_bandwidth_hz, given.azimuth_bandwidth_hz, 1e-6);
        EXPECT_EQ(made.range_window, given.range_window);
        EXPECT_EQ(made.azimuth_window, given.azimuth_window);
        EXPECT_NEAR(made.scene_height_m, given.scene_height_m, 1e-6);
        EXPECT_EQ(got.acquisition.polarization, "HV");
        EXPECT_EQ(got.acquisition.identification.look_side, image_.acquisition.identification.look_side);
        EXPECT_EQ(got.acquisition.identification.mission, "TESTSAT");
        EXPECT_NEAR(got.acquisition.carrier_hz, image_.acquisition.carrier_hz, 1);
        EXPECT_NEAR(got.acquisition.prf_hz, 1500, 1e-6);
    }
    std::string bytes_of(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write_bytes(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
    }

    Image image_;
};

TEST_F(OpenImage, OfEveryFormatIsAsItWasWritten) {
    for (const LookSide side : {LookSide::right, LookSide::left})
        for (const char* name : {"a.h5", "a.nitf", "a.tif", "a.slc"}) {
            SCOPED_TRACE(name);
            look(side);
            write(name);
            std::filesystem::rename(path(name), path("named otherwise"));
            if (name == std::string("a.slc")) std::filesystem::rename(path("a.slc.hdr"), path("named otherwise.hdr"));
            ASSERT_TRUE(holds_image(path("named otherwise")));
            StoredImage stored = open_image(path("named otherwise"));
            EXPECT_EQ(samples_of(stored), image_.samples);
            EXPECT_FALSE(stored.header().map);
            EXPECT_TRUE(stored.header().grid.has_axes());
            expect_same_axes(stored.header());
            expect_same_record(stored.header());
            std::filesystem::remove(path("named otherwise.hdr"));
        }
}

TEST_F(OpenImage, TextKeepsEveryDigit) {
    DopplerSurface surface(SmoothSurface{.x_centre = 138.02, .x_half = 0.03, .y_centre = 850030, .y_half = 40});
    surface.powers[0][0] = -432.1, surface.powers[0][1] = 25, surface.powers[1][0] = -3, surface.powers[0][2] = 1.5;
    image_.processing.doppler_surface_hz = surface;
    for (const char* name : {"a.tif", "a.slc"}) {
        write(name);
        const StoredImage stored = open_image(path(name));
        const Image& got = stored.header();
        EXPECT_EQ(got.grid, image_.grid);
        EXPECT_EQ(got.acquisition.orbit->position_m, image_.acquisition.orbit->position_m);
        EXPECT_EQ(got.acquisition.azimuth_bandwidth_hz, 900);
        EXPECT_EQ(got.processing.doppler_centroid_hz, -432.1);
        ASSERT_EQ(got.processing.effective_velocity_m_s.size(), 40u);
        for (std::size_t k = 0; k < 40; ++k)
            EXPECT_NEAR(got.processing.effective_velocity_m_s[k], image_.processing.effective_velocity_m_s[k], 0.02);
        for (const double time_s : {138.0, 138.03})
            for (const double range_m : {850000.0, 850020.0, 850058.5})
                EXPECT_NEAR(got.processing.doppler_hz(time_s, range_m), surface(time_s, range_m), 1e-6);
    }
}

TEST_F(OpenImage, OfIntegersIsWithinTheirError) {
    const double full_scale = 20;
    for (const auto& [name, type, tolerance] :
         {std::tuple("a.tif", SampleType::int16, full_scale / 32767), {"b.nitf", SampleType::amplitude_phase8, 0.5}}) {
        SCOPED_TRACE(name);
        write(name, {type, full_scale});
        StoredImage stored = open_image(path(name));
        const auto got = samples_of(stored);
        for (std::size_t i = 0; i < got.size(); ++i) ASSERT_LT(std::abs(got[i] - image_.samples[i]), tolerance) << i;
    }
    write("c.nitf", {SampleType::int16, full_scale});
    StoredImage stored = open_image(path("c.nitf"));
    const auto codes = samples_of(stored);
    const auto step = static_cast<float>(full_scale / 32767);
    for (std::size_t i = 0; i < codes.size(); ++i)
        ASSERT_LT(std::abs(step * codes[i] - image_.samples[i]), step) << "SICD has no place for the scale";
}

TEST_F(OpenImage, OfMapsLieWhereTheyWereWritten) {
    const MapProjection maps[] = {{32633}, MapProjection::geographic(), MapProjection::local()};
    for (const MapProjection& map : maps)
        for (const char* name : {"a.h5", "a.tif", "a.slc"}) {
            SCOPED_TRACE(map.name() + " in " + name);
            put_on(map, map.in_degrees() ? 1e-5 : 2.5);
            write(name);
            StoredImage stored = open_image(path(name));
            ASSERT_TRUE(stored.header().map);
            const MapGrid &got = *stored.header().map, &given = *image_.map;
            EXPECT_EQ(got.projection, given.projection);
            EXPECT_EQ(got.rows, given.rows);
            EXPECT_EQ(got.columns, given.columns);
            EXPECT_NEAR(got.first_x, given.first_x, 1e-9);
            EXPECT_NEAR(got.first_y, given.first_y, 1e-9);
            EXPECT_NEAR(got.x_step, given.x_step, 1e-15);
            EXPECT_NEAR(got.y_step, given.y_step, 1e-15);
            EXPECT_EQ(samples_of(stored), image_.samples);
        }
}

TEST_F(OpenImage, OfThePlaneOfASceneKnowTheirPlane) {
    const Vec3 origin_m = point_of({.longitude_deg = 3, .latitude_deg = -1, .height_m = 200});
    const LocalFrame frame = local_frame(geographic(origin_m));
    put_on(MapProjection::on({.origin_m = origin_m, .x_axis = frame.east, .y_axis = frame.north}), 0.5);
    image_.processing.scene_height_m = 0;
    for (const char* name : {"a.h5", "a.tif", "a.slc", "a.nitf"}) {
        SCOPED_TRACE(name);
        write(name);
        StoredImage stored = open_image(path(name));
        ASSERT_TRUE(stored.header().map);
        const MapGrid &got = *stored.header().map, &given = *image_.map;
        ASSERT_TRUE(got.projection.plane);
        ImageInMemory whole;
        stored.pass_to(whole);
        const ScenePlane& plane = *given.projection.plane;
        for (std::int64_t row = 0; row < got.rows; ++row)
            for (std::int64_t column = 0; column < got.columns; ++column) {
                const Vec3 from_origin_m =
                    got.projection.plane->at(got.x(static_cast<double>(column)), got.y(static_cast<double>(row))) -
                    plane.origin_m;
                const double right_row = given.row_at(dot(from_origin_m, plane.y_axis)),
                             right_column = given.column_at(dot(from_origin_m, plane.x_axis));
                ASSERT_NEAR(right_row, std::round(right_row), 1e-4);
                ASSERT_NEAR(right_column, std::round(right_column), 1e-4);
                ASSERT_EQ(whole.image.samples[static_cast<std::size_t>(row * got.columns + column)],
                          image_.samples[static_cast<std::size_t>(std::lround(right_row) * columns +
                                                                  std::lround(right_column))])
                    << "SICD turns it, so that shadows fall downwards";
            }
    }
}

TEST_F(OpenImage, TheOneThereIsCanBeAskedFor) {
    write("a.nitf");
    EXPECT_NO_THROW(open_image(path("a.nitf"), {.polarization = "hv"}));
    expect_refused([&] { open_image(path("a.nitf"), {.polarization = "VV"}); }, {"a.nitf", "VV", "HV"});
    expect_refused([&] { open_image(path("a.nitf"), {.frequency = "B"}); }, {"--frequency B", "SICD"});
}

/// GDAL's images of other programs.
TEST_F(OpenImage, SaysWhatAForeignFileDoesNotTell) {
    write("a.slc");
    write_bytes("a.slc.hdr", "ENVI\nsamples = 40\nlines=75\nbands = 1\ndata type = 6\nbyte order = 0\n");
    StoredImage stored = open_image(path("a.slc"));
    EXPECT_EQ(samples_of(stored), image_.samples);
    EXPECT_FALSE(stored.header().grid.has_axes());
    EXPECT_FALSE(stored.header().map);
    expect_refused([&] { open_radar_image(path("a.slc"), {}, "compare"); }, {"a.slc", "slant ranges", "compare"});
    EXPECT_EQ(open_image(path("a.slc.hdr")).header().grid.rows, rows) << "by its header";
    put_on({32633}, 2);
    write("b.tif");
    expect_refused([&] { open_radar_image(path("b.tif"), {}, "compare"); }, {"b.tif", "on a map", "compare"});
}

TEST_F(OpenImage, TurnsBigEndianSamples) {
    write("a.slc");
    std::string bytes = bytes_of("a.slc"), header = bytes_of("a.slc.hdr");
    for (std::size_t at = 0; at < bytes.size(); at += 4) std::reverse(bytes.begin() + at, bytes.begin() + at + 4);
    write_bytes("a.slc", std::string(12, 'x') + bytes);
    header.replace(header.find("byte order = 0"), 14, "byte order = 1");
    header.replace(header.find("header offset = 0"), 17, "header offset = 12");
    write_bytes("a.slc.hdr", header);
    StoredImage stored = open_image(path("a.slc"));
    EXPECT_EQ(samples_of(stored), image_.samples);
}

TEST_F(OpenImage, TakesMapsAsEnviNamesThem) {
    write("a.slc");
    const std::string start = "ENVI\nsamples = 40\nlines = 75\nbands = 1\ndata type = 6\n";
    const auto map_of = [&](const std::string& info) {
        write_bytes("a.slc.hdr", start + info);
        return *open_image(path("a.slc")).header().map;
    };
    const MapGrid south =
        map_of("map info = {UTM, 1.5, 1.5, 500000, 7e6, 10, 20,\n 19, South, WGS-84, units=Meters}\n");
    EXPECT_EQ(south.projection.epsg, 32719);
    EXPECT_EQ(south.first_x, 500000);
    EXPECT_EQ(south.first_y, 7e6);
    EXPECT_EQ(south.x_step, 10);
    EXPECT_EQ(south.y_step, -20);
    const MapGrid degrees = map_of("map info = {Geographic Lat/Lon, 1, 1, 12, 48, 0.5, 0.25, WGS-84}\n");
    EXPECT_EQ(degrees.projection.epsg, 4326);
    EXPECT_EQ(degrees.first_x, 12.25);
    EXPECT_EQ(degrees.first_y, 47.875);
    expect_refused([&] { map_of("map info = {UTM, 1, 1, 5, 7, 10, 10, 19, South, NAD-27}\n"); },
                   {"map info", "WGS-84"});
    expect_refused([&] { map_of("map info = {UTM, 1, 1, 5}\n"); }, {"map info"});
    expect_refused([&] { map_of("map info = {UTM, 1, 1, 5, 7, ten, 10, 19, South, WGS-84}\n"); }, {"map info", "ten"});
    expect_refused([&] { map_of("map info = {UTM, 1, 1, 5, 7, 9, 9, 19, South, WGS-84, rotation=12}\n"); },
                   {"rotation"});
}

TEST_F(OpenImage, RefusesWhatIsDamagedInOneLine) {
    write("a.nitf");
    write("a.tif");
    write("a.slc");
    const std::string nitf = bytes_of("a.nitf"), tiff = bytes_of("a.tif"), header = bytes_of("a.slc.hdr");
    const auto refused = [&](const std::string& name, const std::string& bytes, const std::vector<std::string>& words) {
        write_bytes(name, bytes);
        expect_refused(
            [&] {
                StoredImage stored = open_image(path(name));
                ImageInMemory whole;
                stored.pass_to(whole);
            },
            words);
    };
    const auto changed = [](std::string text, const std::string& from, const std::string& to) {
        EXPECT_NE(text.find(from), std::string::npos) << from;
        return text.replace(text.find(from), from.size(), to);
    };
    refused("a.nitf", nitf.substr(0, nitf.size() - 100), {"a.nitf", "cut off"});
    refused("a.nitf", nitf.substr(0, 200), {"a.nitf", "ends at byte 200"});
    refused("a.nitf", changed(nitf, "NC2", "C82"), {"IC", "compressed"});
    refused("a.nitf", changed(nitf, "<NumRows>40", "<NumRows>41"), {"40 x 75", "41 x 75"});
    refused("a.nitf", changed(nitf, "RE32F_IM32F", "RE32F_IM33F"), {"PixelType", "RE32F_IM33F"});
    refused("a.nitf", changed(nitf, "<R_CA_SCP>8", "<R_CA_SCP>-"), {"INCA", "near range"});
    refused("a.nitf", changed(nitf, "</SICD>", "</SICK>"), {"XML"});
    refused("a.nitf", changed(nitf, "order1=\"1\"", "order1=\"x\""), {"order1", "'x'", "30"});
    refused("a.nitf", changed(nitf, "exponent1=\"4\"", "exponent1=\"7\""), {"Coef", "exponent1", "7", "0 to 4"});
    refused("a.tif", tiff.substr(0, tiff.size() / 2), {"a.tif"});
    refused("a.tif", changed(tiff, "SLANT_RANGE_M\">8", "SLANT_RANGE_M\">x"), {"SLANT_RANGE_M", "x50000"});
    refused("a.slc.hdr", changed(header, "data type = 6", "data type = 4"), {"data type", "4", "6"});
    refused("a.slc.hdr", changed(header, "lines = 75", "lines = 76"), {"a.slc", "24000", "24320"});
    refused("a.slc.hdr", changed(header, "lines = 75", "lines = 7x"), {"lines", "7x"});
    refused("a.slc.hdr", changed(header, "orbit = {", "orbit = {1 "), {"ORBIT"});
}

}  // namespace
}  // namespace cornerturn
