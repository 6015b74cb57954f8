// SPDX-License-Identifier: Apache-2.0
// Elevation models in files: each kind gives the same heights at the same places, and what cannot be read says why.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tiffio.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>

#include "data/hdf5/hdf5_writer.h"
#include "data/terrain/terrain_file.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/ground/geoid.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

std::string scratch(const std::string& name) {
    static const ScratchFolder folder;
    return folder.file(name);
}

/// Linear, so that means over cells are those at their centres.
double height_at(double latitude_deg, double longitude_deg) {
    return 300 + 1000 * (latitude_deg - 47) + 500 * (longitude_deg - 11);
}

constexpr int rows = 240, columns = 200;

/// One degree from 47 N and 11 E on, unless told otherwise.
struct GeoTiffKind {
    bool tiled = false, point = false;
    int compression = COMPRESSION_NONE, bits = 32, format = SAMPLEFORMAT_IEEEFP;
    int channels = 1;
    std::map<int, int> keys{{1024, 2}, {1025, 1}, {2048, 4979}};
    std::string nodata = {}, metadata = {};
    std::function<double(double, double)> height = height_at;  ///< at y and x
    double west = 11, north = 48, x_step = 1.0 / columns, y_step = 1.0 / rows;
};

void declare_tags(TIFF* tiff) {
    static const TIFFFieldInfo info[] = {
        {33550, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, const_cast<char*>("ModelPixelScale")},
        {33922, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, const_cast<char*>("ModelTiepoint")},
        {34735, -1, -1, TIFF_SHORT, FIELD_CUSTOM, 1, 1, const_cast<char*>("GeoKeyDirectory")},
        {42113, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, const_cast<char*>("GDAL_NODATA")},
        {42112, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, const_cast<char*>("GDAL_METADATA")},
    };
    TIFFMergeFieldInfo(tiff, info, 5);
}

void put(double value, int bits, int format, std::vector<std::byte>& to) {
    const auto add = [&](auto number) {
        const auto at = to.size();
        to.resize(at + sizeof(number));
        std::memcpy(to.data() + at, &number, sizeof(number));
    };
    if (format == SAMPLEFORMAT_INT)
        return bits == 16 ? add(static_cast<std::int16_t>(std::lround(value)))
                          : add(static_cast<std::int32_t>(std::lround(value)));
    bits == 32 ? add(static_cast<float>(value)) : add(value);
}

std::string geotiff(const std::string& name, const GeoTiffKind& kind) {
    const std::string path = scratch(name + ".tif");
    TIFF* tiff = TIFFOpen(path.c_str(), "w");
    declare_tags(tiff);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, columns);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, rows);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind.bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, kind.format);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind.channels);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind.compression);
    const double latitude_step = kind.y_step, longitude_step = kind.x_step;
    const double scale[3] = {longitude_step, latitude_step, 0}, corner = kind.point ? 0.5 : 0.0;
    // Latitude and longitude of the corner, or of the centre, of pixel (0, 0).
    const double tie[6] = {0, 0, 0, kind.west + corner * longitude_step, kind.north - corner * latitude_step, 0};
    TIFFSetField(tiff, 33550, 3, scale);
    TIFFSetField(tiff, 33922, 6, tie);
    std::vector<std::uint16_t> directory{1, 1, 1, static_cast<std::uint16_t>(kind.keys.size())};
    for (const auto& [key, value] : kind.keys) {
        const int shown = key == 1025 && kind.point ? 2 : value;
        directory.insert(directory.end(), {static_cast<std::uint16_t>(key), 0, 1, static_cast<std::uint16_t>(shown)});
    }
    TIFFSetField(tiff, 34735, static_cast<int>(directory.size()), directory.data());
    if (!kind.nodata.empty()) TIFFSetField(tiff, 42113, kind.nodata.c_str());
    if (!kind.metadata.empty()) TIFFSetField(tiff, 42112, kind.metadata.c_str());
    const auto height = [&](int row, int column) {
        return kind.height(kind.north - (row + 0.5) * latitude_step, kind.west + (column + 0.5) * longitude_step);
    };
    if (kind.tiled) {
        constexpr int side = 64;
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, side);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, side);
        for (int y = 0; y < rows; y += side)
            for (int x = 0; x < columns; x += side) {
                std::vector<std::byte> tile;
                for (int r = y; r < y + side; ++r)
                    for (int c = x; c < x + side; ++c)
                        put(r < rows && c < columns ? height(r, c) : 8888, kind.bits, kind.format, tile);
                TIFFWriteTile(tiff, tile.data(), static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 0, 0);
            }
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 32);
        for (int row = 0; row < rows; ++row) {
            std::vector<std::byte> line;
            for (int column = 0; column < columns; ++column)
                for (int channel = 0; channel < kind.channels; ++channel)
                    put(height(row, column), kind.bits, kind.format, line);
            TIFFWriteScanline(tiff, line.data(), static_cast<std::uint32_t>(row), 0);
        }
    }
    TIFFClose(tiff);
    return path;
}

constexpr GeographicBox part{47.3, 47.6, 11.2, 11.55};

void expect_heights(const std::string& path, double tolerance_m) {
    std::vector<std::string> remarks;
    const auto terrain = open_terrain(path, {}, remarks);
    EXPECT_NEAR(terrain->extent().south_deg, 47, 1e-9);
    EXPECT_NEAR(terrain->extent().north_deg, 48, 1e-9);
    EXPECT_NEAR(terrain->extent().west_deg, 11, 1e-9);
    EXPECT_NEAR(terrain->extent().east_deg, 12, 1e-9);
    for (const double step_deg :
         {0.001, 0.02, 0.11}) {  // finer than the pixels, and means over 4 x 4 and 26 x 22 of them
        const HeightGrid grid = terrain->read(part, step_deg, step_deg);
        ASSERT_GT(grid.rows, 0);
        EXPECT_LE(grid.first_latitude_deg, part.south_deg);
        EXPECT_GE(grid.first_latitude_deg + static_cast<double>(grid.rows - 1) * grid.latitude_step_deg,
                  part.north_deg - grid.latitude_step_deg);
        EXPECT_LT(static_cast<double>(grid.rows) * grid.latitude_step_deg, 0.8) << "only what is wanted";
        for (std::int64_t row = 0; row < grid.rows; ++row)
            for (std::int64_t column = 0; column < grid.columns; ++column)
                ASSERT_NEAR(grid.at(row, column),
                            height_at(grid.first_latitude_deg + static_cast<double>(row) * grid.latitude_step_deg,
                                      grid.first_longitude_deg + static_cast<double>(column) * grid.longitude_step_deg),
                            tolerance_m)
                    << path << " in steps of " << step_deg;
    }
}

std::string refusal(const std::string& path) {
    std::vector<std::string> remarks;
    return error_of([&] { open_terrain(path, {}, remarks)->read(part, 0.01, 0.01); });
}

TEST(TerrainFile, GeoTiffsOfAllKindsTellTheSameHeights) {
    expect_heights(geotiff("striped", {}), 1e-3);
    expect_heights(geotiff("tiled", {.tiled = true}), 1e-3);
    expect_heights(geotiff("deflated", {.compression = COMPRESSION_ADOBE_DEFLATE}), 1e-3);
    expect_heights(geotiff("tiled_lzw", {.tiled = true, .compression = COMPRESSION_LZW}), 1e-3);
    expect_heights(geotiff("point", {.point = true}), 1e-3);
    expect_heights(geotiff("int16", {.bits = 16, .format = SAMPLEFORMAT_INT}), 0.51);
    expect_heights(geotiff("double", {.bits = 64}), 1e-3);
}

/// GDAL's scale and offset of a band; gaps are marked as they are stored.
TEST(TerrainFile, StoredNumbersAreScaled) {
    const auto item = [](const char* name, const char* role, const std::string& value) {
        return fmt::format("<Item name=\"{}\" sample=\"0\" role=\"{}\">{}</Item>", name, role, value);
    };
    const auto metadata = [](const std::string& items) { return "<GDALMetadata>" + items + "</GDALMetadata>"; };
    const auto packed = [](double latitude_deg, double longitude_deg) {
        return (height_at(latitude_deg, longitude_deg) - 500) / 0.05;
    };
    const std::string scale = item("SCALE", "scale", "0.05"), offset = item("OFFSET", "offset", "500");
    expect_heights(geotiff("packed", {.bits = 16,
                                      .format = SAMPLEFORMAT_INT,
                                      .metadata = metadata(scale + offset + item("UNITTYPE", "unittype", "m")),
                                      .height = packed}),
                   0.03);
    const auto with_gap = [&](double latitude_deg, double longitude_deg) {
        return latitude_deg > 47.5 ? -9999 : packed(latitude_deg, longitude_deg);
    };
    std::vector<std::string> remarks;
    const HeightGrid grid = open_terrain(geotiff("packed_gaps", {.bits = 16,
                                                                 .format = SAMPLEFORMAT_INT,
                                                                 .nodata = "-9999",
                                                                 .metadata = metadata(scale + offset),
                                                                 .height = with_gap}),
                                         {}, remarks)
                                ->read(part, 0.02, 0.02);
    EXPECT_TRUE(std::isnan(grid.at(grid.rows - 1, 0)));
    expect_in(refusal(geotiff("no scale", {.metadata = metadata(item("SCALE", "scale", "much"))})), "SCALE is 'much'");
    expect_in(refusal(geotiff("in feet", {.metadata = metadata(item("UNITTYPE", "unittype", "ft"))})),
              {"heights in ft, expected m", "gdal_calc.py"});
    expect_in(refusal(geotiff("of feet", {.keys = {{1024, 2}, {1025, 1}, {2048, 4979}, {4099, 9002}}})),
              "heights in EPSG:9002");
}

TEST(TerrainFile, GapsAreNoHeights) {
    const auto with_gap = [](double latitude_deg, double longitude_deg) {
        return latitude_deg < 47.4 ? -9999 : height_at(latitude_deg, longitude_deg);
    };
    std::vector<std::string> remarks;
    const HeightGrid grid =
        open_terrain(geotiff("gaps", {.nodata = "-9999", .height = with_gap}), {}, remarks)->read(part, 0.02, 0.02);
    EXPECT_TRUE(std::isnan(grid.at(0, 0)));
    EXPECT_NEAR(grid.at(grid.rows - 1, 0),
                height_at(grid.first_latitude_deg + static_cast<double>(grid.rows - 1) * grid.latitude_step_deg,
                          grid.first_longitude_deg),
                1e-3);
    const auto unmarked = [](double, double) { return -32768.0; };
    expect_in(refusal(geotiff("unmarked", {.height = unmarked})), "holds a height of -32768 m");
}

using Keys = std::map<int, int>;
const Keys above_egm96{{1024, 2}, {2048, 4326}, {4096, 5773}}, above_egm2008{{1024, 2}, {2048, 4326}, {4096, 3855}},
    above_ellipsoid{{1024, 2}, {2048, 4326}, {4096, 4979}}, unsaid{{1024, 2}, {2048, 4326}},
    of_another{{1024, 2}, {2048, 4326}, {4096, 5703}};

std::string refused_heights(const Keys& keys, std::optional<HeightDatum> meant = {}) {
    std::vector<std::string> remarks;
    return error_of([&] { open_terrain(geotiff("vertical", {.keys = keys}), meant, remarks); });
}

TEST(TerrainFile, RefusesHeightsOfWhichNobodyTellsWhatTheyAreAbove) {
    expect_in(refused_heights(unsaid), "does not say what its heights are above: give --heights");
    expect_in(refused_heights(of_another), "has heights of EPSG:5703");
    EXPECT_EQ(refused_heights({{1024, 2}, {2048, 4979}}), "");
    EXPECT_EQ(refused_heights(above_ellipsoid), "");
    for (const Keys& keys : {unsaid, of_another, above_egm96})
        EXPECT_EQ(refused_heights(keys, HeightDatum::ellipsoid), "");
    std::vector<std::string> remarks;
    open_terrain(geotiff("vertical", {.keys = above_egm2008}), HeightDatum::ellipsoid, remarks);
    ASSERT_EQ(remarks.size(), 1u);
    expect_in(remarks.front(), "above egm2008, and is taken as above ellipsoid");
    EXPECT_THROW(height_datum_named("egm69"), InputError);
}

/// What PROJ is not given it does not have, and nothing asks the network.
TEST(TerrainFile, RefusesHeightsAboveAGeoidWithoutItsGrid) {
    const ScratchFolder empty;
    for (const char* name : {"PROJ_DATA", "PROJ_LIB"}) setenv(name, empty.file("").c_str(), 1);
    setenv("PROJ_NETWORK", "ON", 1);
    const std::string refusal = refused_heights(above_egm96), meant = refused_heights(unsaid, HeightDatum::egm2008);
    for (const char* name : {"PROJ_DATA", "PROJ_LIB", "PROJ_NETWORK"}) unsetenv(name);
    expect_in(refusal, "above the geoid EGM96, of which PROJ has no grid here (us_nga_egm96_15.tif or egm96_15.gtx)");
    expect_in(meant, "EPSG:4326+3855");
}

TEST(TerrainFile, BringsHeightsAboveAGeoidToTheEllipsoid) {
    if (!Geoid::find(GeoidModel::egm96)) GTEST_SKIP() << "PROJ has no grid of EGM96 here";
    std::vector<std::string> remarks;
    const auto stored = open_terrain(geotiff("geoid", {.keys = above_egm96}), HeightDatum::ellipsoid, remarks);
    remarks.clear();
    for (const auto& terrain : {open_terrain(geotiff("geoid", {.keys = above_egm96}), {}, remarks),
                                open_terrain(geotiff("unsaid", {.keys = unsaid}), HeightDatum::egm96, remarks)}) {
        const HeightGrid above = terrain->read(part, 0.02, 0.02), below = stored->read(part, 0.02, 0.02);
        ASSERT_EQ(above.height_m.size(), below.height_m.size());
        for (std::size_t i = 0; i < above.height_m.size(); ++i) {
            const double undulation_m = above.height_m[i] - below.height_m[i];
            EXPECT_TRUE(undulation_m > 44 && undulation_m < 50) << undulation_m << ", in the Alps";
        }
        EXPECT_EQ(heights_of(*terrain).substr(0, 3), "by ");
    }
    EXPECT_TRUE(remarks.empty());
    EXPECT_EQ(heights_of(*stored), "as stored");
}

/// Heights by latitude and sine of longitude: linear between cells but for what a cell's half degree bends.
double over_the_earth(double latitude_deg, double longitude_deg) {
    return 1000 + 5 * latitude_deg + 300 * std::sin(longitude_deg * degree);
}

void expect_over_the_earth(TerrainSource& terrain, const GeographicBox& box) {
    SCOPED_TRACE(text_of(box));
    const HeightGrid grid = terrain.read(box, 0.01, 0.01);
    ASSERT_GT(grid.rows, 0);
    EXPECT_LE(grid.first_longitude_deg, box.west_deg);
    EXPECT_GE(grid.first_longitude_deg + static_cast<double>(grid.columns - 1) * grid.longitude_step_deg, box.east_deg);
    for (std::int64_t row = 0; row < grid.rows; ++row)
        for (std::int64_t column = 0; column < grid.columns; ++column)
            ASSERT_NEAR(
                grid.at(row, column),
                over_the_earth(grid.first_latitude_deg + static_cast<double>(row) * grid.latitude_step_deg,
                               grid.first_longitude_deg + static_cast<double>(column) * grid.longitude_step_deg),
                1e-3);
}

TEST(TerrainFile, ModelsOfTheWholeEarthHaveNoEdgeAtTheAntimeridian) {
    std::vector<std::string> remarks;
    for (const double west_deg : {-180.0, 0.0}) {
        const auto terrain = open_terrain(geotiff("earth", {.height = over_the_earth,
                                                            .west = west_deg,
                                                            .north = 90,
                                                            .x_step = 360.0 / columns,
                                                            .y_step = 180.0 / rows}),
                                          {}, remarks);
        EXPECT_TRUE(terrain->extent().goes_round());
        for (const double turn_deg : {-360.0, 0.0, 360.0})
            for (const double middle_deg : {-180.0, -90.0, 0.0, 90.0, 180.0})
                expect_over_the_earth(*terrain, {-17, -16, middle_deg + turn_deg - 2, middle_deg + turn_deg + 2});
    }
}

TEST(TerrainFile, LongitudesMayCountFromEitherSideOfTheAntimeridian) {
    std::vector<std::string> remarks;
    for (const double west_deg : {-182.0, 178.0}) {
        const auto terrain =
            open_terrain(geotiff("antimeridian",
                                 {.height = over_the_earth, .west = west_deg, .north = -15, .x_step = 4.0 / columns}),
                         {}, remarks);
        EXPECT_FALSE(terrain->extent().goes_round());
        expect_over_the_earth(*terrain, {-15.8, -15.2, 179, 181});
        expect_over_the_earth(*terrain, {-15.8, -15.2, -181, -179});
    }
}

/// Heights on a map are those between its pixels, which lie aslant to latitudes and longitudes.
void expect_heights_on_a_map(int epsg, const GeographicBox& box) {
    SCOPED_TRACE(epsg);
    const MapTransform map(MapProjection{epsg});
    const MapPoint middle = map.of({0.5 * (box.west_deg + box.east_deg), 0.5 * (box.south_deg + box.north_deg), 0});
    constexpr double step_m = 100;
    const auto linear = [&](double y, double x) { return 500 + 0.02 * (y - middle.y) - 0.03 * (x - middle.x); };
    std::vector<std::string> remarks;
    const auto terrain = open_terrain(geotiff("on_map", {.keys = {{1024, 1}, {3072, epsg}, {4096, 4979}},
                                                         .height = linear,
                                                         .west = middle.x - 0.5 * columns * step_m,
                                                         .north = middle.y + 0.5 * rows * step_m,
                                                         .x_step = step_m,
                                                         .y_step = step_m}),
                                      {}, remarks);
    const GeographicBox there = terrain->extent();
    EXPECT_TRUE(there.south_deg < box.south_deg && there.north_deg > box.north_deg) << text_of(there);
    for (const double step_deg : {1e-4, 0.01}) {
        const HeightGrid grid = terrain->read(box, step_deg, step_deg);
        ASSERT_GT(grid.rows, 4);
        for (std::int64_t row = 0; row + 2 < grid.rows; ++row)
            for (std::int64_t column = 0; column + 2 < grid.columns; ++column) {
                const MapPoint at =
                    map.of({grid.first_longitude_deg + static_cast<double>(column) * grid.longitude_step_deg,
                            grid.first_latitude_deg + static_cast<double>(row) * grid.latitude_step_deg, 0});
                ASSERT_NEAR(grid.at(row, column), linear(at.y, at.x), 2e-3);
            }
    }
    EXPECT_TRUE(
        std::isnan(terrain->read({box.south_deg - 2, box.north_deg, box.west_deg, box.east_deg}, 0.01, 0.01).at(0, 0)))
        << "beyond it";
}

TEST(TerrainFile, ModelsOnMapsTellTheirHeights) {
    expect_heights_on_a_map(32632, {47.02, 47.08, 9.05, 9.12});
    expect_heights_on_a_map(3413, {75.02, 75.06, -40.2, -40.0});
}

TEST(TerrainFile, AModelOnAMapMayHoldAPole) {
    std::vector<std::string> remarks;
    const auto terrain = open_terrain(geotiff("pole", {.keys = {{1024, 1}, {3072, 3031}, {4096, 4979}},
                                                       .height = [](double, double) { return 2800.0; },
                                                       .west = -10000,
                                                       .north = 12000,
                                                       .x_step = 100,
                                                       .y_step = 100}),
                                      {}, remarks);
    EXPECT_TRUE(terrain->extent().goes_round());
    EXPECT_EQ(terrain->extent().south_deg, -90);
    const HeightGrid grid = terrain->read({-90, -89.95, -180, 180}, 0.001, 0.5);
    for (const float height_m : grid.height_m) ASSERT_NEAR(height_m, 2800, 1e-3);
}

/// The same file, with another type of a tag's values in its directory: least byte first, as this machine writes.
std::string with_type_of_tag(const std::string& path, std::uint16_t tag, std::uint16_t type) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::uint32_t directory = 0;
    std::uint16_t entries = 0;
    std::memcpy(&directory, bytes.data() + 4, 4);
    std::memcpy(&entries, bytes.data() + directory, 2);
    for (std::size_t at = directory + 2; at < directory + 2 + std::size_t{12} * entries; at += 12)
        if (std::memcmp(bytes.data() + at, &tag, 2) == 0) std::memcpy(bytes.data() + at + 2, &type, 2);
    file.seekp(0);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
}

TEST(TerrainFile, WhatCannotBeReadSaysWhy) {
    expect_in(refusal(geotiff("feet", {.keys = {{1024, 1}, {3072, 2263}, {4096, 4979}}})),
              {"feet.tif", "EPSG:2263", "gdalwarp -t_srs EPSG:4979"});
    expect_in(refusal(geotiff("own map", {.keys = {{1024, 1}, {3072, 32767}, {4096, 4979}}})), "no EPSG code");
    expect_in(refusal(geotiff("steps", {.keys = {{1024, 1}, {3072, 32632}, {4096, 4979}}, .x_step = 1e7})),
              "steps of 10000000");
    expect_in(refusal(geotiff("datum", {.keys = {{1024, 2}, {2048, 4267}}})), "EPSG:4267");
    // libtiff hands on pixel scales as they are stored: here three words of four bytes.
    expect_in(refusal(with_type_of_tag(geotiff("longs", {}), 33550, 4)), "does not say where it lies");
    expect_in(refusal(with_type_of_tag(geotiff("bytes", {}), 34735, 1)), "no GeoTIFF keys");
    expect_in(refusal(geotiff("plain", {.keys = {}})), "no GeoTIFF keys");
    expect_in(refusal(geotiff("rgb", {.channels = 3})), "3 channels");
    expect_in(refusal(geotiff("bytes", {.bits = 8, .format = SAMPLEFORMAT_UINT})), "8 bits");
    expect_in(refusal(scratch("nowhere.tif")), "cannot be opened");
    std::ofstream(scratch("text.tif")) << "no heights at all";
    expect_in(refusal(scratch("text.tif")), "neither GeoTIFF nor HDF5");
    const std::string cut = geotiff("cut", {.compression = COMPRESSION_ADOBE_DEFLATE});
    std::filesystem::resize_file(cut, 200);
    expect_in(refusal(cut), cut);
}

std::string height_grid(const std::string& name, bool from_north, double longitude_step_deg = 1.0 / columns,
                        std::optional<double> scale_factor = {}) {
    const std::string path = scratch(name + ".h5");
    std::vector<double> latitudes, longitudes;
    for (int row = 0; row < rows; ++row)
        latitudes.push_back(from_north ? 48 - (row + 0.5) / rows : 47 + (row + 0.5) / rows);
    for (int column = 0; column < columns; ++column) longitudes.push_back(11 + (column + 0.5) * longitude_step_deg);
    std::vector<float> heights;
    for (const double latitude_deg : latitudes)
        for (const double longitude_deg : longitudes)
            heights.push_back(static_cast<float>(height_at(latitude_deg, longitude_deg)));
    h5::Writer file(path, 0);
    file.numbers("/latitude", latitudes, "degrees_north");
    file.numbers("/longitude", longitudes, "degrees_east");
    file.table("/height", heights, columns, "meters");
    if (scale_factor) file.attribute("/height", "scale_factor", *scale_factor);
    file.commit();
    return path;
}

TEST(TerrainFile, GridsInHdf5TellTheSameHeights) {
    expect_heights(height_grid("north", true), 1e-3);
    expect_heights(height_grid("plain", true, 1.0 / columns, 1), 1e-3);
    expect_in(refusal(height_grid("packed", true, 1.0 / columns, 0.1)), {"/height", "scale_factor of 0.1"});
    expect_heights(height_grid("south", false), 1e-3);
    expect_in(refusal(height_grid("metres", true, 30)), "projected coordinates");
    const std::string other = scratch("other.h5");
    h5::Writer file(other, 0);
    file.numbers("/latitude", std::vector<double>{1, 2});
    file.commit();
    expect_in(refusal(other), "height (latitude x longitude)");
}

}  // namespace
}  // namespace cornerturn
