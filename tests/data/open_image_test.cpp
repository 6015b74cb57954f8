// SPDX-License-Identifier: Apache-2.0
// Images of all formats through one door: what our writers made comes back, samples bit for bit or to the error of
// their type, with the geometry that the format has a place for; and what is damaged is refused in one line.
#include "data/open_image.h"

#include <sys/stat.h>

#include <fstream>
#include <tuple>

#include "data/raw_file.h"
#include "pipeline/acquisition/ground/image_radiometry.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "tests/data/image_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class OpenImage : public StoredImageTest {};

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
        expect_in(text, from);
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
    refused("a.slc.hdr", changed(header, "epoch = 2026-02", "epoch = 2026-42"), {"epoch", "2026-42", "ISO 8601"});
}

/// A calibration goes from file to file; what was told to be none is none.
TEST_F(OpenImage, KeepsACalibrationAndClaimsNone) {
    look(LookSide::left);
    for (const char* name : {"a.h5", "a.nitf"}) {
        write(name);
        EXPECT_FALSE(open_image(path(name)).header().radiometry) << name;
    }
    const auto beta = [](double row, double column) { return 0.25 + 0.001 * row + 0.002 * column; };
    image_.radiometry = Radiometry{
        .beta0 = power_factor(image_.grid, beta),
        .sigma0 = power_factor(image_.grid, [&](double row, double column) { return 0.5 * beta(row, column); }),
        .calibrated = true};
    // NISAR's tables have 6 x 33 places and are of amplitudes: between them they bend otherwise.
    for (const auto& [name, tolerance] : {std::pair("b.h5", 2e-4), {"b.nitf", 1e-6}}) {
        SCOPED_TRACE(name);
        write(name);
        const StoredImage stored = open_image(path(name));
        const auto& got = stored.header().radiometry;
        ASSERT_TRUE(got);
        EXPECT_TRUE(got->calibrated);
        for (const double row : {0.0, 20.5, 74.0})
            for (const double column : {0.0, 11.25, 39.0}) {
                EXPECT_NEAR(got->beta0.at(row, column), beta(row, column), tolerance);
                EXPECT_NEAR(got->sigma0.at(row, column), 0.5 * beta(row, column), tolerance);
            }
    }
    write("c.nitf", {SampleType::int16, 20});
    const double step = 20.0 / 32767;
    EXPECT_NEAR(open_image(path("c.nitf")).header().radiometry->beta0.at(74, 39), step * step * beta(74, 39), 1e-12)
        << "of the numbers that are stored";
}

TEST_F(OpenImage, OtherFilesAreNamedForWhatTheyAre) {
    const auto file = [&](const char* name, std::string_view bytes) {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    };
    const auto open_as_raw = [](const std::string& of) {
        std::vector<std::string> warnings;
        open_raw(of, {}, warnings);
    };
    const std::string pipe = path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const std::string tar = std::string(257, 'x') + "ustar" + std::string(300, '\0');
    const std::pair<std::string, const char*> others[] = {
        {file("a.png", "\x89PNG\r\n"), "a PNG picture"},
        {file("a.gz", "\x1f\x8b\x08"), "gunzip"},
        {file("a.tar", tar), "tar -xf"},
        {file("a.h5", "<!DOCTYPE html><html>"), "a web page"},
        {file("text.h5", "hello\n"), "text"},
        {file("a.crsd", "CRSD/1.0.0\n"), "CRSD"},
        {file("noise", std::string_view("\x01\x02\xff\0", 4)), "of no format"},
        {file("erased", std::string(600, '\xff')), "of no format"},
        {file("empty", ""), "is empty"},
        {pipe, "is a pipe"},
        {path("no file"), "No such file"},
        {path(""), "is a folder"}};
    for (const auto& [name, what] : others) {
        SCOPED_TRACE(name);
        expect_refused([&, of = name] { open_as_raw(of); }, {name, what});
        expect_refused([&, of = name] { open_image(of); }, {name, what});
        expect_refused([&, of = name] { holds_image(of); }, {name, what});
    }
    expect_refused([&] { open_as_raw(path("text.h5")); }, {"expected raw echo"});
    expect_refused([&] { open_image(path("text.h5")); }, {"expected a focused image"});
    expect_refused([&] { holds_image(path("text.h5")); }, {"expected raw echo", "a focused image"});
}

TEST_F(OpenImage, ImagesAreNoRawEchoAndRawEchoNoImage) {
    for (const auto& [name, what] : {std::pair("a.nitf", "SICD"), {"a.tif", "TIFF"}, {"a.slc", "ENVI"}}) {
        write(name);
        std::vector<std::string> warnings;
        expect_refused([&, of = name] { open_raw(path(of), {}, warnings); }, {name, what, "take images"});
    }
    put_on(MapProjection{32633}, 2.5);
    write("map.h5");
    std::vector<std::string> warnings;
    expect_refused([&] { open_raw(path("map.h5"), {}, warnings); }, {"image on a map", "raw echo"});
    expect_refused([&] { open_raw(path("map.h5"), {.swath = "IW1"}, warnings); }, {"--swath IW1", "no bursts"});
    expect_refused([&] { open_raw(path("map.h5"), {.burst = 1}, warnings); }, {"--burst 1", "no bursts"});
    for (const char* name : {"a.png", "a.JPG", "a.zarr", "raw.cphd", "a.npy", "a.img", "a.bin", "a.SICD"})
        expect_refused([&, of = name] { product_file(path(of), {}); },
                       {name, "no image is written by that ending", ".h5"});
    // A header of ENVI's of that name makes no image of raw echo.
    std::ofstream(path("a.cphd")) << "CPHD/1.1.0\n";
    std::filesystem::copy_file(path("a.slc.hdr"), path("a.hdr"));
    EXPECT_FALSE(holds_image(path("a.cphd")));
    expect_refused([&] { open_image(path("a.cphd")); }, {"is raw echo (CPHD)", "focus"});
}

}  // namespace
}  // namespace cornerturn
