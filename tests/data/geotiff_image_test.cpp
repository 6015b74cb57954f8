// SPDX-License-Identifier: Apache-2.0
// Images as cloud-optimised GeoTIFF, read by libtiff: where everything lies in the file, samples, overviews, and where
// pixels lie on the Earth.
#include "data/geotiff/geotiff_image.h"

#include <tiffio.h>

#include <cmath>

#include "data/map_grid_file.h"
#include "data/product/product_file.h"
#include "data/tiff/cog_layout.h"
#include "data/tiff/geotiff.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/image_radiometry.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/acquisition/track/track.h"
#include "tests/data/product_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class GeoTiffImageTest : public ProductTest {
protected:
    GeoTiffImageTest() {
        image_.acquisition = small_echo(SampleFormat::complex64).acquisition;
        image_.grid = {.rows = 1100,
                       .columns = 1300,
                       .first_time_s = 12.25,
                       .time_spacing_s = 0.002,
                       .near_range_m = 8000,
                       .range_spacing_m = 1.5};
        image_.processing.software = "test";
        image_.samples.resize(1100 * 1300);
        for (std::size_t i = 0; i < image_.samples.size(); ++i)
            image_.samples[i] = {static_cast<float>(i % 1300), -static_cast<float>(i / 1300)};
    }
    void write(const std::string& file, TiffContent content, bool finish = true) {
        GeoTiffImage to(path(file), content);
        to.begin(image_);
        const std::int64_t some = std::min<std::int64_t>(700, image_.grid.rows);
        for (std::int64_t row = 0; row < image_.grid.rows; row += some)
            to.write(row, std::span(image_.samples)
                              .subspan(static_cast<std::size_t>(row * image_.grid.columns),
                                       static_cast<std::size_t>(std::min(some, image_.grid.rows - row) *
                                                                image_.grid.columns)));
        if (finish) to.commit();
    }
    /// An image of another shape, all of one value.
    void make_small(std::int64_t rows, std::int64_t columns) {
        image_.grid.rows = rows;
        image_.grid.columns = columns;
        image_.samples.assign(static_cast<std::size_t>(rows * columns), {3, 4});
    }
    void put_on(const MapProjection& projection, double step) {
        make_small(3, 5);
        image_.map = MapGrid{projection, 3, 5, 15.5, step, 51.25, -0.5 * step};
    }

    Image image_;
};

struct Level {
    std::uint32_t rows = 0, columns = 0, tile = 0;
    std::uint64_t directory = 0, first_tile = 0, last_tile = 0;
};

std::vector<Level> levels_of(TIFF* tiff) {
    std::vector<Level> levels;
    do {
        Level level;
        std::uint64_t* places = nullptr;
        EXPECT_TRUE(TIFFIsTiled(tiff));
        TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &level.rows);
        TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &level.columns);
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &level.tile);
        TIFFGetField(tiff, TIFFTAG_TILEOFFSETS, &places);
        level.directory = TIFFCurrentDirOffset(tiff);
        level.first_tile = places[0];
        level.last_tile = places[TIFFNumberOfTiles(tiff) - 1];
        levels.push_back(level);
    } while (TIFFReadDirectory(tiff) == 1);
    return levels;
}

template <class Value>
Value pixel(TIFF* tiff, std::uint16_t level, std::uint32_t row, std::uint32_t column) {
    EXPECT_EQ(TIFFSetDirectory(tiff, level), 1);
    std::uint32_t tile = 0;
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tile);
    std::vector<Value> values(tile * tile);
    EXPECT_EQ(TIFFTileSize64(tiff), values.size() * sizeof(Value));
    EXPECT_GT(TIFFReadTile(tiff, values.data(), column, row, 0, 0), 0);
    return values[row % tile * tile + column % tile];
}

TEST_F(GeoTiffImageTest, LiesAsCloudReadersWantIt) {
    write("a.tif", TiffContent::complex);
    const TiffHandle tiff = open_tiff(path("a.tif"), "r");
    ASSERT_NE(tiff, nullptr);
    const std::vector<Level> levels = levels_of(tiff.get());
    ASSERT_EQ(levels.size(), 3u);
    EXPECT_EQ(levels[1].rows, 550u);
    EXPECT_EQ(levels[2].rows, 275u);
    EXPECT_EQ(levels[2].columns, 325u);
    const std::uint64_t tile_bytes = std::uint64_t{8} * levels[0].tile * levels[0].tile;
    for (std::size_t i = 1; i < levels.size(); ++i) {
        EXPECT_GT(levels[i].directory, levels[i - 1].directory);
        EXPECT_EQ(levels[i].last_tile + tile_bytes + 8, levels[i - 1].first_tile) << "smaller ones come first";
    }
    EXPECT_LT(levels.back().directory, levels.back().first_tile);
    EXPECT_EQ(levels.front().last_tile + tile_bytes + 4, std::filesystem::file_size(path("a.tif")));
    std::ifstream file(path("a.tif"));
    std::string head(200, ' ');
    file.read(head.data(), 200);
    EXPECT_EQ(head.substr(8, 43), "GDAL_STRUCTURAL_METADATA_SIZE=000140 bytes\n");
    EXPECT_EQ(head.substr(51, 24), "LAYOUT=IFDS_BEFORE_DATA\n");
    EXPECT_EQ(head.substr(51 + 139, 1), " ") << "140 bytes of it";
}

TEST_F(GeoTiffImageTest, HoldsTheSamplesAndEverySecondOfThem) {
    write("a.tif", TiffContent::complex);
    const TiffHandle tiff = open_tiff(path("a.tif"), "r");
    using Sample = std::complex<float>;
    for (const auto& [row, column] : {std::pair{0u, 0u}, {511u, 512u}, {512u, 511u}, {1099u, 1299u}, {700u, 1299u}})
        EXPECT_EQ(pixel<Sample>(tiff.get(), 0, row, column),
                  Sample(static_cast<float>(column), -static_cast<float>(row)));
    EXPECT_EQ(pixel<Sample>(tiff.get(), 1, 549, 649), Sample(1298, -1098));
    EXPECT_EQ(pixel<Sample>(tiff.get(), 2, 100, 324), Sample(1296, -400));
}

TEST_F(GeoTiffImageTest, HoldsIntegersWithTheirScale) {
    GeoTiffImage to(path("a.tif"), TiffContent::complex, SampleType::int16, 2000);
    to.begin(image_);
    to.write(0, image_.samples);
    to.commit();
    EXPECT_EQ(to.written_bytes(), image_.samples.size() * 4);
    EXPECT_TRUE(to.remarks().empty());
    const TiffHandle tiff = open_tiff(path("a.tif"), "r");
    using Sample = std::array<std::int16_t, 2>;
    for (const auto& [row, column] : {std::pair{0u, 0u}, {511u, 512u}, {1099u, 1299u}}) {
        const auto got = pixel<Sample>(tiff.get(), 0, row, column);
        EXPECT_NEAR(got[0] * 2000.0 / 32767, column, 0.5 * 2000 / 32767);
        EXPECT_NEAR(got[1] * 2000.0 / 32767, -static_cast<double>(row), 0.5 * 2000 / 32767);
    }
    std::uint16_t format = 0;
    TIFFSetDirectory(tiff.get(), 0);
    TIFFGetField(tiff.get(), TIFFTAG_SAMPLEFORMAT, &format);
    EXPECT_EQ(format, SAMPLEFORMAT_COMPLEXINT);
    char* metadata = nullptr;
    std::uint32_t count = 0;
    ASSERT_EQ(TIFFGetField(tiff.get(), 42112, &count, &metadata), 1);
    expect_in(metadata, "name=\"SCALE\" sample=\"0\" role=\"scale\">0.061");
    expect_refused([&] { GeoTiffImage(path("b.tif"), TiffContent::complex, SampleType::int16, 0); },
                   {"int16", "above"});
}

TEST_F(GeoTiffImageTest, DetectsThem) {
    make_small(601, 3);
    image_.samples[3] = image_.samples[4] = {0, 0};
    image_.samples[5] = {std::nanf(""), 0};
    write("a.tif", TiffContent::amplitude);
    write("db.tif", TiffContent::decibel);
    const TiffHandle amplitude = open_tiff(path("a.tif"), "r"), decibel = open_tiff(path("db.tif"), "r");
    EXPECT_EQ(pixel<float>(amplitude.get(), 0, 0, 1), 5);
    EXPECT_EQ(pixel<float>(amplitude.get(), 0, 1, 2), 0) << "not a number counts as nothing";
    EXPECT_EQ(pixel<float>(amplitude.get(), 1, 0, 0), 5) << "mean of what is there";
    EXPECT_EQ(pixel<float>(amplitude.get(), 1, 300, 1), 5) << "the last, odd one";
    EXPECT_NEAR(pixel<float>(decibel.get(), 0, 600, 2), 20 * std::log10(5.0), 1e-5);
    EXPECT_TRUE(std::isnan(pixel<float>(decibel.get(), 0, 1, 0)));
}

/// The angle by the orbit itself; of a calibration its factor.
TEST_F(GeoTiffImageTest, SigmaZeroSaysWhetherItIsCalibrated) {
    image_.processing.scene_height_m = 250;
    const auto written = [&](const char* name, TiffContent content) {
        GeoTiffImage to(path(name), content);
        to.begin(image_);
        to.write(0, image_.samples);
        to.commit();
        return to.remarks();
    };
    EXPECT_TRUE(written("db.tif", TiffContent::decibel).empty());
    const auto remarks = written("sigma.tif", TiffContent::sigma0);
    ASSERT_EQ(remarks.size(), 1u);
    expect_in(remarks[0], "sigma0 is not calibrated");
    const auto description = [&](const char* name) {
        const TiffHandle tiff = open_tiff(path(name), "r");
        char* text = nullptr;
        EXPECT_EQ(TIFFGetField(tiff.get(), TIFFTAG_IMAGEDESCRIPTION, &text), 1);
        return std::string(text);
    };
    expect_in(description("sigma.tif"), "NOT CALIBRATED");
    expect_in(description("db.tif"), "not calibrated");
    EXPECT_EQ(description("db.tif").find("in the echo"), std::string::npos) << "of images by others nobody knows that";
    const TiffHandle decibel = open_tiff(path("db.tif"), "r"), sigma = open_tiff(path("sigma.tif"), "r");
    for (const auto& [row, column] : {std::pair{0u, 1u}, {511u, 512u}, {1099u, 1299u}}) {
        const auto view = ground_view(interpolate(*image_.acquisition.orbit, image_.grid.time_s(row)),
                                      image_.grid.range_m(column), LookSide::left, 250);
        EXPECT_NEAR(pixel<float>(sigma.get(), 0, row, column) - pixel<float>(decibel.get(), 0, row, column),
                    10 * std::log10(std::sin(view->incidence_deg * M_PI / 180)), 1e-4);
    }
    image_.radiometry = Radiometry{.beta0 = power_factor(image_.grid, [](double, double) { return 0.01; }),
                                   .sigma0 = power_factor(image_.grid, [](double, double) { return 0.001; }),
                                   .calibrated = true};
    EXPECT_TRUE(written("beta.tif", TiffContent::beta0).empty());
    expect_in(description("beta.tif"), "by the calibration of the input");
    EXPECT_TRUE(written("amplitude.tif", TiffContent::amplitude).empty());
    expect_in(description("amplitude.tif"), "whose calibration is not in these numbers");
    const TiffHandle beta = open_tiff(path("beta.tif"), "r");
    EXPECT_NEAR(pixel<float>(beta.get(), 0, 700, 900), pixel<float>(decibel.get(), 0, 700, 900) - 20, 1e-4);
    image_.radiometry.reset();
    image_.acquisition.orbit.reset();
    expect_refused([&] { written("c.tif", TiffContent::sigma0); }, {"sigma0", "orbit", "amplitude or db"});
}

TEST_F(GeoTiffImageTest, LiesOnItsMap) {
    for (const auto& [projection, step] : {std::pair{MapProjection{32633}, 2.5}, {MapProjection::geographic(), 1e-4}}) {
        put_on(projection, step);
        write("a.tif", TiffContent::amplitude);
        const MapGrid grid = read_map_grid(path("a.tif"));
        EXPECT_EQ(grid.projection, projection);
        EXPECT_NEAR(grid.first_x, 15.5, 1e-12);
        EXPECT_NEAR(grid.first_y, 51.25, 1e-12);
        EXPECT_NEAR(grid.y_step, -0.5 * step, 1e-12);
    }
    put_on({32633}, 2.5);
    image_.map->y_step = 2;  // south on top
    write("a.tif", TiffContent::complex);
    EXPECT_NEAR(read_map_grid(path("a.tif")).y(2), 55.25, 1e-12);
    put_on(MapProjection::local(), 2.5);
    write("a.tif", TiffContent::complex);
    expect_refused([&] { read_map_grid(path("a.tif")); }, {"no EPSG code"});
    EXPECT_NEAR(GeoTiffFile(path("a.tif")).pixels().first_x, 15.5, 1e-12);
    put_on({54009}, 1);
    expect_refused([&] { write("b.tif", TiffContent::complex); }, {"EPSG:54009", "no key"});
}

/// The corner of pixels is at whole numbers, their centre half a pixel on.
TEST_F(GeoTiffImageTest, HasControlPointsWhereTheGridSees) {
    image_.processing.scene_height_m = 250;
    write("a.tif", TiffContent::amplitude);
    const GeoTiffFile file(path("a.tif"));
    file.require_degrees();
    const auto points = file.values<double>(33922);
    ASSERT_EQ(points.size(), 6u * 21 * 21);
    const OrbitTrack track(*image_.acquisition.orbit, LookSide::left, 250);
    for (std::size_t i = 0; i < points.size(); i += 6) {
        EXPECT_NEAR(points[i + 5], 250, 1e-6);
        const auto [x, y, z] =
            point_of({.longitude_deg = points[i + 3], .latitude_deg = points[i + 4], .height_m = points[i + 5]});
        const ClosestPass pass = track.closest_pass({x, y, z}, 13);
        EXPECT_NEAR((pass.range_m - 8000) / 1.5 + 0.5, points[i], 1e-4);
        EXPECT_NEAR((pass.time_s - 12.25) / 0.002 + 0.5, points[i + 1], 1e-4);
    }
    image_.acquisition.orbit.reset();
    write("a.tif", TiffContent::amplitude);
    EXPECT_FALSE(GeoTiffFile(path("a.tif")).key(geo_key::model_type)) << "nothing tells it";
}

TEST_F(GeoTiffImageTest, HasControlPointsOnThePlaneOfAScene) {
    const ScenePlane plane{.origin_m = {6378137, 0, 0}, .x_axis = {0, 1, 0}, .y_axis = {0, 0, 1}};
    put_on(MapProjection::on(plane), 4);
    write("a.tif", TiffContent::amplitude);
    const auto points = GeoTiffFile(path("a.tif")).values<double>(33922);
    ASSERT_EQ(points.size(), 6u * 15);
    for (std::size_t i = 0; i < points.size(); i += 6)
        EXPECT_NEAR(points[i + 3], (15.5 + 4 * (points[i] - 0.5)) / 6378137 * 180 / M_PI, 1e-9);
    EXPECT_EQ(points[0], 0.5);
    EXPECT_EQ(points[points.size() - 6], 4.5);
}

TEST_F(GeoTiffImageTest, IsThereWhenItIsComplete) {
    make_small(4, 4);
    write("a.tif", TiffContent::complex, false);
    EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
    GeoTiffImage file(path("a.tif"), TiffContent::complex);
    file.begin(image_);
    expect_refused([&] { file.begin(image_); }, {"a.tif", "one image"});
    EXPECT_THROW(file.write(2, image_.samples), std::logic_error) << "out of order";
    expect_refused([&] { check_product(path("a.tif"), {.images = 2}); }, {"one polarization"});
    expect_refused([&] { check_product(path("a.tif"), {.storage = {.compression = 3}}); }, {"--compress 3"});
    expect_refused([&] { check_product(path("a.h5"), {.tiff = TiffContent::decibel}); }, {"--tiff", "a.h5"});
    expect_refused([] { tiff_content_named("phase"); }, {"--tiff phase", "beta0 or sigma0"});
}

TEST(CogLayout, IsBigTiffFrom4GbOn) {
    const auto version = [](const CogLayout& layout) { return std::to_integer<int>(layout.head[2]); };
    EXPECT_EQ(version(cog_layout(15000, 20000, TiffSample::complex_float32, {})), 42);
    const CogLayout large = cog_layout(30000, 20000, TiffSample::complex_float32, {});
    EXPECT_EQ(version(large), 43);
    EXPECT_GT(large.levels.front().first_tile, large.levels.back().first_tile);
    EXPECT_EQ(large.bytes, large.levels.front().first_tile - 4 + 59 * 40 * large.stride());
}

/// rasterio takes tiles as wide as the image for strips.
TEST(CogLayout, HasNoLevelThatIsJustOneTileWide) {
    for (const std::int64_t columns : {512, 1024, 4096, 768, 3072})
        for (const CogLayout layout = cog_layout(9000, columns, TiffSample::uint8, {});
             const auto& level : layout.levels)
            EXPECT_TRUE(level.columns != layout.tile || level.rows <= 512) << columns;
}

}  // namespace
}  // namespace cornerturn
