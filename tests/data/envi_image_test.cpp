// SPDX-License-Identifier: Apache-2.0
// Images as flat files with a header of ENVI's. What GDAL makes of them: scripts/check-products.
#include "data/envi/envi_image.h"

#include <pugixml.hpp>

#include "data/product/product_file.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "tests/data/product_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class EnviTest : public ProductTest {
protected:
    EnviTest() {
        image_.acquisition = small_echo(SampleFormat::complex64).acquisition;
        image_.grid = {.rows = 30,
                       .columns = 20,
                       .first_time_s = 12.25,
                       .time_spacing_s = 0.002,
                       .near_range_m = 8000,
                       .range_spacing_m = 1.5};
        for (int i = 0; i < 600; ++i) image_.samples.emplace_back(static_cast<float>(i), -0.5f * static_cast<float>(i));
    }
    std::string text_of(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    Image image_;
};

TEST_F(EnviTest, RowsAreThereAsTheyAre) {
    const auto file = product_file(path("a.slc"), {});
    file->begin(image_);
    file->write(0, std::span(image_.samples).first(20 * 7));
    file->write(7, std::span(image_.samples).subspan(20 * 7));
    EXPECT_FALSE(std::filesystem::exists(path("a.slc")));
    file->commit();
    EXPECT_EQ(file->written_bytes(), 600u * 8);
    const std::string stored = text_of("a.slc"), header = text_of("a.slc.hdr");
    ASSERT_EQ(stored.size(), 600u * 8);
    EXPECT_EQ(std::memcmp(stored.data(), image_.samples.data(), stored.size()), 0);
    EXPECT_TRUE(header.starts_with("ENVI\n"));
    expect_in(header, {"\nsamples = 20\n", "\nlines = 30\n", "\ndata type = 6\n", "\nbyte order = 0\n"});
    EXPECT_EQ(header.find("map info"), std::string::npos);
}

/// As GDAL's driver of ISCE's files reads it.
TEST_F(EnviTest, HasTheHeaderOfIsceToo) {
    image_.map = MapGrid{MapProjection::geographic(), 30, 20, 12.25, 0.5, 48, -0.25};
    const auto file = product_file(path("a.slc"), {});
    file->begin(image_);
    file->write(0, image_.samples);
    file->commit();
    pugi::xml_document document;
    ASSERT_TRUE(document.load_file(path("a.slc.xml").c_str()));
    const auto value = [](const pugi::xml_node& of, const char* name) {
        return std::string(of.find_child_by_attribute("property", "name", name).child("value").text().get());
    };
    const pugi::xml_node root = document.child("imageFile");
    EXPECT_EQ(value(root, "width"), "20");
    EXPECT_EQ(value(root, "length"), "30");
    EXPECT_EQ(value(root, "data_type"), "CFLOAT");
    EXPECT_EQ(value(root, "file_name"), "a.slc");
    const pugi::xml_node x = root.find_child_by_attribute("component", "name", "coordinate1"),
                         y = root.find_child_by_attribute("component", "name", "coordinate2");
    EXPECT_EQ(value(x, "startingvalue"), "12");
    EXPECT_EQ(value(x, "delta"), "0.5");
    EXPECT_EQ(value(y, "startingvalue"), "48.125");
    EXPECT_EQ(value(y, "delta"), "-0.25");
}

TEST_F(EnviTest, MapsTellTheirPlace) {
    image_.map = MapGrid{MapProjection{32633}, 30, 20, 500001, 2, 5e6 - 1, -2};
    const std::string header = envi_header(image_);
    expect_in(header, {"map info = {Arbitrary, 1, 1, 500000, 5000000, 2, 2}", "coordinate system string = {PROJCS["});
    image_.map->projection = MapProjection::geographic();
    expect_in(envi_header(image_), "{Geographic Lat/Lon, 1, 1, ");
}

TEST_F(EnviTest, LeavesNothingUnfinishedAndRefusesWhatItCannotHold) {
    {
        EnviImage file(path("a.slc"));
        file.begin(image_);
        file.write(0, std::span(image_.samples).first(20));
        expect_refused([&] { file.begin(image_); }, {"one image"});
    }
    EXPECT_TRUE(left().empty());
    expect_refused([&] { product_file(path("a.slc"), {.samples = {SampleType::float16, {}}}); }, {"f16", "f32"});
    expect_refused([&] { product_file(path("a.slc"), {.images = 2}); }, {"one image"});
    expect_refused([&] { product_file(path("a.slc"), {.storage = {.compression = 3}}); }, {"--compress"});
}

}  // namespace
}  // namespace cornerturn
