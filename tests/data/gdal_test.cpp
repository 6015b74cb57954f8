// SPDX-License-Identifier: Apache-2.0
// Products as GDAL opens them, which QGIS and most others stand on: samples, and where they lie. Built where GDAL is
// (libgdal-dev); nothing but this test is linked to it.
#include <gdal_priv.h>
#include <ogr_spatialref.h>

#include <cmath>
#include <memory>

#include "data/product/product_file.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "tests/data/product_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

using Sample = std::complex<float>;

struct CloseDataset {
    void operator()(GDALDataset* dataset) const { GDALClose(dataset); }
};
using Opened = std::unique_ptr<GDALDataset, CloseDataset>;

class GdalTest : public ProductTest {
protected:
    static void SetUpTestSuite() { GDALAllRegister(); }

    GdalTest() {
        image_.acquisition = small_echo(SampleFormat::complex64).acquisition;
        image_.grid = {.rows = 700,
                       .columns = 600,
                       .first_time_s = 12.25,
                       .time_spacing_s = 0.002,
                       .near_range_m = 8000,
                       .range_spacing_m = 1.5};
        image_.processing.software = "test";
        image_.processing.range_bandwidth_hz = 8e7;
        image_.processing.azimuth_bandwidth_hz = 300;
        for (int i = 0; i < 700 * 600; ++i)
            image_.samples.emplace_back(static_cast<float>(i % 600), -static_cast<float>(i / 600));
    }
    Opened written(const std::string& name, TiffContent content = TiffContent::complex) {
        const auto file = product_file(path(name), {.tiff = content});
        file->begin(image_);
        file->write(0, image_.samples);
        file->commit();
        return Opened(GDALDataset::FromHandle(GDALOpen(path(name).c_str(), GA_ReadOnly)));
    }
    template <class Value>
    static std::vector<Value> band(GDALDataset& data, int number, GDALDataType type, int rows, int columns) {
        std::vector<Value> values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
        GDALRasterBand& of = *data.GetRasterBand(number);
        EXPECT_EQ(of.RasterIO(GF_Read, 0, 0, columns, rows, values.data(), columns, rows, type, 0, 0), CE_None);
        return values;
    }

    Image image_;
};

TEST_F(GdalTest, TakesTheGeoTiffForACloudOptimisedOne) {
    const Opened data = written("a.tif");
    ASSERT_NE(data, nullptr);
    EXPECT_STREQ(data->GetMetadataItem("LAYOUT", "IMAGE_STRUCTURE"), "COG");
    EXPECT_STREQ(data->GetMetadataItem("POLARIZATION"), "HV");
    GDALRasterBand& of = *data->GetRasterBand(1);
    EXPECT_EQ(of.GetRasterDataType(), GDT_CFloat32);
    EXPECT_EQ(band<Sample>(*data, 1, GDT_CFloat32, 700, 600), image_.samples);
    ASSERT_EQ(of.GetOverviewCount(), 1);
    Sample half;
    EXPECT_EQ(of.GetOverview(0)->RasterIO(GF_Read, 299, 349, 1, 1, &half, 1, 1, GDT_CFloat32, 0, 0), CE_None);
    EXPECT_EQ(half, Sample(598, -698));
    EXPECT_EQ(data->GetGCPCount(), 21 * 21);
    EXPECT_NE(data->GetGCPSpatialRef(), nullptr);
}

TEST_F(GdalTest, FindsTheMap) {
    image_.map = MapGrid{{32633}, 700, 600, 500002.5, 5, 5800007.5, -2.5};
    const Opened data = written("a.tif", TiffContent::decibel);
    ASSERT_NE(data, nullptr);
    double transform[6] = {};
    ASSERT_EQ(data->GetGeoTransform(transform), CE_None);
    EXPECT_NEAR(transform[0], 500000, 1e-9);
    EXPECT_NEAR(transform[1], 5, 1e-12);
    EXPECT_NEAR(transform[3], 5800008.75, 1e-9);
    EXPECT_NEAR(transform[5], -2.5, 1e-12);
    OGRSpatialReference degrees;
    degrees.SetWellKnownGeogCS("WGS84");
    degrees.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    ASSERT_NE(data->GetSpatialRef(), nullptr);
    const std::unique_ptr<OGRCoordinateTransformation> to_degrees(
        OGRCreateCoordinateTransformation(data->GetSpatialRef(), &degrees));
    ASSERT_NE(to_degrees, nullptr);
    double x = transform[0] + 10.5 * transform[1], y = transform[3] + 20.5 * transform[5];
    ASSERT_TRUE(to_degrees->Transform(1, &x, &y));
    const Geographic place = MapTransform(image_.map->projection).at({image_.map->x(10), image_.map->y(20)});
    EXPECT_NEAR(x, place.longitude_deg, 1e-9);
    EXPECT_NEAR(y, place.latitude_deg, 1e-9);
    int there = 0;
    EXPECT_TRUE(std::isnan(data->GetRasterBand(1)->GetNoDataValue(&there)));
    EXPECT_EQ(there, 1);
}

TEST_F(GdalTest, OpensSicd) {
    const Opened data = written("a.nitf");
    ASSERT_NE(data, nullptr);
    EXPECT_STREQ(data->GetDriverName(), "NITF");
    ASSERT_EQ(data->GetRasterXSize(), 700) << "azimuth goes across";
    ASSERT_EQ(data->GetRasterYSize(), 600);
    const auto real = band<float>(*data, 1, GDT_Float32, 600, 700),
               imaginary = band<float>(*data, 2, GDT_Float32, 600, 700);
    for (std::size_t row = 0; row < 600; row += 13)
        for (std::size_t column = 0; column < 700; column += 7)  // the first one was the last: it looks left
            ASSERT_EQ(Sample(real[row * 700 + column], imaginary[row * 700 + column]),
                      image_.samples[(699 - column) * 600 + row]);
    EXPECT_STREQ(data->GetMetadataItem("NITF_ICAT"), "SAR");
    char** const xml = data->GetMetadata("xml:DES");
    ASSERT_NE(xml, nullptr);
    expect_in(xml[0], "urn:SICD:1.3.0");
}

}  // namespace
}  // namespace cornerturn
