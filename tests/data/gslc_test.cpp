// SPDX-License-Identifier: Apache-2.0
// Images on maps in files: what is written is read, with axes as netCDF's conventions have them; and grids that are
// taken over.
#include <gtest/gtest.h>
#include <hdf5_hl.h>
#include <tiffio.h>

#include "data/hdf5/hdf5_reader.h"
#include "data/map_grid_file.h"
#include "data/nisar/gslc_reader.h"
#include "data/nisar/gslc_writer.h"
#include "data/nisar/l0b_reader.h"
#include "data/nisar/l0b_writer.h"
#include "data/nisar/rslc_reader.h"
#include "tests/data/product_fixture.h"
#include "tests/support/texts.h"
#include "tests/support/whole_files.h"

namespace cornerturn {
namespace {

const std::string group = "/science/LSAR/GSLC/grids/frequencyA";

class GslcTest : public ProductTest {
protected:
    GslcTest() {
        image_.acquisition = small_echo(SampleFormat::complex64).acquisition;
        image_.map = MapGrid{{32633}, 3, 5, 500002.5, 5, 5800007.5, -2.5};
        image_.grid.rows = 3;
        image_.grid.columns = 5;
        image_.processing.algorithm = "backprojection";
        image_.processing.software = "test";
        image_.processing.scene_height_m = 321;
        image_.processing.range_bandwidth_hz = 8e7;
        image_.processing.azimuth_bandwidth_hz = 300;
        image_.valid_columns = {{1, 4}, {0, 5}, {0, 0}};
        for (int i = 0; i < 15; ++i) image_.samples.emplace_back(static_cast<float>(i), -0.5f * static_cast<float>(i));
    }
    void write_text(const std::string& name, const std::string& text) { std::ofstream(path(name)) << text; }

    Image image_;
};

TEST_F(GslcTest, IsReadAsItWasWritten) {
    for (const int compression : {0, 3}) {
        write_gslc(path("a.h5"), image_, {.compression = compression, .threads = 1});
        EXPECT_EQ(product_kind(path("a.h5")), ProductKind::map);
        StoredImage back = open_gslc(path("a.h5"));
        EXPECT_EQ(back.header().map, image_.map);
        EXPECT_EQ(back.header().valid_columns, image_.valid_columns);
        EXPECT_EQ(back.header().processing.algorithm, "backprojection");
        EXPECT_EQ(back.header().processing.scene_height_m, 321);
        EXPECT_EQ(back.header().acquisition.carrier_hz, 9.65e9);
        EXPECT_EQ(back.header().acquisition.orbit->position_m, image_.acquisition.orbit->position_m);
        EXPECT_EQ(back.header().acquisition.truth.size(), 2u);
        EXPECT_EQ(back.view().read({0, 3, 0, 5}).samples, image_.samples);
        EXPECT_EQ(back.view().read({1, 1, 2, 2}).samples, (std::vector{image_.samples[7], image_.samples[8]}));
        expect_refused([&] { read_rslc_header(path("a.h5")); }, {"image on a map", "without --grid"});
    }
}

TEST_F(GslcTest, HasAxesOfTheConventions) {
    write_gslc(path("a.h5"), image_);
    const h5::Reader file(path("a.h5"));
    EXPECT_EQ(file.attribute("/", "Conventions"), "CF-1.7");
    EXPECT_EQ(file.attribute(group + "/HV", "grid_mapping"), "projection");
    EXPECT_EQ(file.attribute(group + "/xCoordinates", "standard_name"), "projection_x_coordinate");
    EXPECT_EQ(file.attribute(group + "/yCoordinates", "units"), "meters");
    EXPECT_EQ(file.numbers(group + "/yCoordinates", {}), (std::vector{5800007.5, 5800005.0, 5800002.5}));
    EXPECT_EQ(file.number(group + "/projection"), 32633);
    expect_in(file.attribute(group + "/projection", "spatial_ref").value_or(""), "UTM zone 33N");
    EXPECT_EQ(file.optional_text("/science/LSAR/identification/isGeocoded"), "True");
    expect_in(file.optional_text("/science/LSAR/identification/boundingPolygon").value_or(""), "POLYGON ((15.0");
    for (const char* name : {"/HV", "/mask"}) {
        const h5::Dataset data = file.dataset(group + name), x = file.dataset(group + "/xCoordinates"),
                          y = file.dataset(group + "/yCoordinates");
        EXPECT_GT(H5DSis_attached(data, y, 0), 0) << name;
        EXPECT_GT(H5DSis_attached(data, x, 1), 0) << name;
    }
}

TEST_F(GslcTest, TwoPolarizationsShareAGrid) {
    GslcFile file(path("a.h5"), 2);
    Image other = image_;
    other.acquisition.polarization = "VV";
    for (auto& sample : other.samples) sample *= 2;
    for (const Image* image : {&image_, &other}) {
        file.begin(*image);
        file.write(0, image->samples);
    }
    file.commit();
    EXPECT_EQ(open_gslc(path("a.h5"), {.polarization = "vv"}).view().read({0, 3, 0, 5}).samples, other.samples);
    expect_refused([&] { open_gslc(path("a.h5"), {.polarization = "HH"}); }, {"HH", "HV, VV"});
    GslcFile broken(path("b.h5"), 2);
    broken.begin(image_);
    other.map->first_x += 1;
    EXPECT_THROW(broken.begin(other), std::logic_error);
}

TEST_F(GslcTest, ALocalTrackStaysOne) {
    Echo echo = small_echo(SampleFormat::complex64);
    echo.acquisition.local_track = std::exchange(echo.acquisition.orbit, std::nullopt);
    write_l0b(path("raw.h5"), echo);
    std::vector<std::string> warnings;
    const Acquisition back = read_l0b_header(path("raw.h5"), {}, warnings);
    EXPECT_FALSE(back.orbit);
    EXPECT_EQ(back.local_track->position_m, echo.acquisition.local_track->position_m);
    image_.acquisition = echo.acquisition;
    image_.map->projection = MapProjection::local();
    write_gslc(path("a.h5"), image_);
    StoredImage local = open_gslc(path("a.h5"));
    EXPECT_TRUE(local.header().map->projection.is_local());
    EXPECT_TRUE(local.header().acquisition.local_track);
    EXPECT_FALSE(local.header().acquisition.orbit);
}

TEST_F(GslcTest, ThePlaneOfASceneStaysOne) {
    image_.map->projection =
        MapProjection::on({.origin_m = {6378137, 10, -20}, .x_axis = {0, 0.6, 0.8}, .y_axis = {0, -0.8, 0.6}});
    write_gslc(path("a.h5"), image_);
    EXPECT_EQ(*open_gslc(path("a.h5")).header().map, *image_.map);
    EXPECT_EQ(read_map_grid(path("a.h5")), *image_.map);
}

TEST_F(GslcTest, HeightsSayWhatTheyAreAbove) {
    const auto described = [&] {
        write_gslc(path("a.h5"), image_);
        const std::string height = "/science/LSAR/GSLC/metadata/processingInformation/parameters/record/sceneHeight";
        return h5::Reader(path("a.h5")).attribute(height, "description").value_or("");
    };
    expect_in(described(), "WGS84 ellipsoid");
    image_.map->projection =
        MapProjection::on({.origin_m = {6378137, 10, -20}, .x_axis = {0, 0.6, 0.8}, .y_axis = {0, -0.8, 0.6}});
    expect_in(described(), "plane of the grid");
}

TEST_F(GslcTest, GridsAreTakenOver) {
    write_gslc(path("a.h5"), image_);
    EXPECT_EQ(read_map_grid(path("a.h5")), *image_.map);
    write_text("a.yaml", "projection: utm:33n\nbounds: [500000, 5800001.25, 500025, 5800008.75]\nspacing: [5, 2.5]\n");
    EXPECT_EQ(read_map_grid(path("a.yaml")), *image_.map);
    write_text("b.yaml", "projection: geographic\nbounds: [15, 52, 15.01, 52.004]\nspacing: 0.001\n");
    const MapGrid degrees = read_map_grid(path("b.yaml"));
    EXPECT_EQ(degrees.rows, 4);
    EXPECT_EQ(degrees.columns, 10);
    EXPECT_NEAR(degrees.first_y, 52.0035, 1e-12);
}

TEST_F(GslcTest, GridsOfGeoTiffsAreTakenOver) {
    constexpr std::uint32_t scale_tag = 33550, tie_tag = 33922, key_tag = 34735;
    static const TIFFFieldInfo fields[] = {
        {scale_tag, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, const_cast<char*>("scale")},
        {tie_tag, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, const_cast<char*>("tie")},
        {key_tag, -1, -1, TIFF_SHORT, FIELD_CUSTOM, 1, 1, const_cast<char*>("keys")}};
    TIFF* tiff = TIFFOpen(path("a.tif").c_str(), "w");
    TIFFMergeFieldInfo(tiff, fields, 3);
    for (const auto& [tag, value] :
         {std::pair{TIFFTAG_IMAGEWIDTH, 5}, std::pair{TIFFTAG_IMAGELENGTH, 3}, std::pair{TIFFTAG_BITSPERSAMPLE, 8},
          std::pair{TIFFTAG_SAMPLESPERPIXEL, 1}, std::pair{TIFFTAG_ROWSPERSTRIP, 3}, std::pair{TIFFTAG_PHOTOMETRIC, 1}})
        TIFFSetField(tiff, static_cast<std::uint32_t>(tag), value);
    const double scale[] = {5, 2.5, 0}, tie[] = {0, 0, 0, 500000, 5800008.75, 0};
    const std::uint16_t keys[] = {1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633};
    TIFFSetField(tiff, scale_tag, 3, scale);
    TIFFSetField(tiff, tie_tag, 6, tie);
    TIFFSetField(tiff, key_tag, 16, keys);
    std::uint8_t row[5] = {};
    for (std::uint32_t i = 0; i < 3; ++i) TIFFWriteScanline(tiff, row, i);
    TIFFClose(tiff);
    EXPECT_EQ(read_map_grid(path("a.tif")), *image_.map);
}

TEST_F(GslcTest, GridsThatAreNoneAreRefused) {
    const auto refused = [&](const std::string& text, const std::vector<std::string>& words) {
        write_text("a.yaml", text);
        SCOPED_TRACE(text);
        expect_refused([&] { read_map_grid(path("a.yaml")); }, words);
    };
    refused("projection: utm\nbounds: [0, 0, 1, 1]\nspacing: 1\n", {"utm needs its zone"});
    refused("projection: utm:33n\nbounds: [0, 0, 1]\nspacing: 1\n", {"bounds", "west, south, east, north"});
    refused("projection: utm:33n\nbounds: [0, 0, 1, 1]\n", {"spacing"});
    refused("projection: utm:33n\nbounds: [5, 0, 1, 1]\nspacing: 1\n", {"bounds", "west below east"});
    refused("projection: utm:33n\nbounds: [0, 0, 1, 1]\nspacing: 1\nsize: 3\n", {"size: unknown"});
    refused("[1, 2", {"no valid YAML"});
    expect_refused([&] { read_map_grid(path("none.yaml")); }, {"none.yaml", "cannot be opened"});
    write_gslc(path("a.h5"), image_);
    Editor(path("a.h5")).change(group + "/xCoordinates", [](std::vector<double>& x) { x[2] += 1; });
    expect_refused([&] { StoredImage image = open_gslc(path("a.h5")); }, {"xCoordinates", "equal steps"});
}

}  // namespace
}  // namespace cornerturn
