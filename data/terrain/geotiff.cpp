// SPDX-License-Identifier: Apache-2.0
// Heights in GeoTIFF: one channel in geographic coordinates, as tiles or strips. Keys as in OGC 19-008r4 (GeoTIFF 1.1).
#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "data/files/refusal.h"
#include "data/nisar/map_grid_file.h"
#include "data/terrain/raster_terrain.h"
#include "data/terrain/terrain_file.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

constexpr std::uint32_t pixel_scale_tag = 33550, tie_point_tag = 33922, transformation_tag = 34264,
                        key_directory_tag = 34735, nodata_tag = 42113;
constexpr int model_type_key = 1024, raster_type_key = 1025, geographic_type_key = 2048, angular_units_key = 2054,
              projected_type_key = 3072, vertical_type_key = 4096;
constexpr int geographic_model = 2, pixel_is_point = 2, degree_units = 9102;

/// What libtiff last complained about in this thread; it has only global handlers.
thread_local std::string complaint;
void keep_complaint(const char*, const char* format, va_list arguments) {
    char text[512];
    std::vsnprintf(text, sizeof(text), format, arguments);
    complaint = text;
}

struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using Tiff = std::unique_ptr<TIFF, Close>;

std::string by_gdalwarp(const std::string& name) { return fmt::format("gdalwarp -t_srs EPSG:4979 {} dem.tif", name); }

Tiff open_tiff(const std::string& name) {
    TIFFSetErrorHandler(keep_complaint);
    TIFFSetWarningHandler(nullptr);  // unknown tags, which all of GeoTIFF's are to it
    Tiff tiff(TIFFOpen(name.c_str(), "r"));
    if (!tiff) refuse(name, fmt::format("cannot be read as TIFF: {}", complaint));
    return tiff;
}

/// Values of a tag that libtiff does not know itself.
template <class Value>
std::vector<Value> tag_values(TIFF* tiff, std::uint32_t tag) {
    std::uint32_t count = 0;
    const Value* values = nullptr;
    if (TIFFGetField(tiff, tag, &count, &values) != 1 || values == nullptr) return {};
    return {values, values + count};
}

/// Keys with a single number of their own.
std::map<int, int> geo_keys(TIFF* tiff) {
    const std::vector<std::uint16_t> directory = tag_values<std::uint16_t>(tiff, key_directory_tag);
    std::map<int, int> keys;
    for (std::size_t i = 4; i + 3 < directory.size(); i += 4)
        if (directory[i + 1] == 0 && directory[i + 2] == 1) keys[directory[i]] = directory[i + 3];
    return keys;
}

std::optional<int> key_of(const std::map<int, int>& keys, int key) {
    const auto found = keys.find(key);
    return found == keys.end() ? std::nullopt : std::optional(found->second);
}

void check_coordinates(const std::string& name, const std::map<int, int>& keys) {
    constexpr int wgs84 = 4326, wgs84_with_height = 4979;
    const std::optional<int> model = key_of(keys, model_type_key), datum = key_of(keys, geographic_type_key);
    if (!model)
        refuse(name, fmt::format("has no GeoTIFF keys (GTModelType), expected geographic coordinates; {}",
                                 by_gdalwarp(name)));
    if (*model != geographic_model)
        refuse(name,
               fmt::format(
                   "has projected coordinates (GTModelType {}), expected geographic ones, EPSG:4326 or EPSG:4979; {}",
                   *model, by_gdalwarp(name)));
    if (datum != wgs84 && datum != wgs84_with_height)
        refuse(name, fmt::format("has coordinates of {}, expected EPSG:4326 or EPSG:4979; {}",
                                 datum ? fmt::format("EPSG:{}", *datum) : "a datum without number", by_gdalwarp(name)));
    if (key_of(keys, angular_units_key).value_or(degree_units) != degree_units)
        refuse(name, fmt::format("has coordinates in angular unit {}, expected degrees ({}); {}",
                                 *key_of(keys, angular_units_key), degree_units, by_gdalwarp(name)));
}

void tell_datum(const std::map<int, int>& keys, StoredTerrain& terrain) {
    constexpr int egm96 = 5773, egm2008 = 3855, ellipsoid = 4979, ellipsoid_of_old = 5030;
    const std::optional<int> vertical = key_of(keys, vertical_type_key);
    if (vertical == egm96) {
        terrain.datum = HeightDatum::egm96;
    } else if (vertical == egm2008) {
        terrain.datum = HeightDatum::egm2008;
    } else if (vertical == ellipsoid || vertical == ellipsoid_of_old ||
               (!vertical && key_of(keys, geographic_type_key) == ellipsoid)) {
        terrain.datum = HeightDatum::ellipsoid;
    } else {
        terrain.says = vertical ? fmt::format("has heights of EPSG:{}, which are not known here", *vertical)
                                : "does not say what its heights are above";
    }
}

/// Longitude and latitude of the corner or centre that pixel (0, 0) stands for, and the steps.
struct Corner {
    double longitude_deg = 0, longitude_step_deg = 0, latitude_deg = 0, latitude_step_deg = 0;
};
Corner corner_of(const std::string& name, TIFF* tiff) {
    const auto scale = tag_values<double>(tiff, pixel_scale_tag), tie = tag_values<double>(tiff, tie_point_tag),
               matrix = tag_values<double>(tiff, transformation_tag);
    if (scale.size() >= 2 && tie.size() >= 6)
        return {tie[3] - tie[0] * scale[0], scale[0], tie[4] + tie[1] * scale[1], -scale[1]};
    if (matrix.size() < 16)
        refuse(name,
               fmt::format("does not say where it lies (no ModelPixelScale and ModelTiepoint); {}", by_gdalwarp(name)));
    if (matrix[1] != 0 || matrix[4] != 0) refuse(name, fmt::format("is turned against north; {}", by_gdalwarp(name)));
    return {matrix[3], matrix[0], matrix[7], matrix[5]};
}

RasterPlace place_of(const std::string& name, TIFF* tiff) {
    std::uint32_t width = 0, height = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    const std::map<int, int> keys = geo_keys(tiff);
    check_coordinates(name, keys);
    const Corner corner = corner_of(name, tiff);
    const bool plausible = corner.longitude_step_deg > 0 && corner.latitude_step_deg != 0 &&
                           std::abs(corner.latitude_deg) <= 91 && std::abs(corner.longitude_deg) <= 541 && width > 0 &&
                           height > 0;
    if (!plausible)
        refuse(name, fmt::format("begins at latitude {} and longitude {} in steps of {} and {} degrees, expected "
                                 "degrees on the Earth; {}",
                                 corner.latitude_deg, corner.longitude_deg, corner.latitude_step_deg,
                                 corner.longitude_step_deg, by_gdalwarp(name)));
    const double centre = key_of(keys, raster_type_key) == pixel_is_point ? 0.0 : 0.5;
    return {.rows = height,
            .columns = width,
            .first_latitude_deg = corner.latitude_deg + centre * corner.latitude_step_deg,
            .latitude_step_deg = corner.latitude_step_deg,
            .first_longitude_deg = corner.longitude_deg + centre * corner.longitude_step_deg,
            .longitude_step_deg = corner.longitude_step_deg};
}

/// Numbers of a type as heights.
using Convert = void (*)(const std::byte* from, std::span<float> to);
template <class Number>
void convert(const std::byte* from, std::span<float> to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        Number number;
        std::memcpy(&number, from + i * sizeof(Number), sizeof(Number));
        to[i] = static_cast<float>(number);
    }
}

struct Numbers {
    Convert convert = nullptr;
    std::size_t bytes = 0;
};
Numbers numbers_of(const std::string& name, TIFF* tiff) {
    std::uint16_t bits = 1, format = SAMPLEFORMAT_UINT, channels = 1;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &channels);
    if (channels != 1)
        refuse(name, fmt::format("has {} channels, expected one of heights; gdal_translate -b 1", channels));
    if (format == SAMPLEFORMAT_IEEEFP && bits == 32) return {convert<float>, 4};
    if (format == SAMPLEFORMAT_IEEEFP && bits == 64) return {convert<double>, 8};
    if (format == SAMPLEFORMAT_INT && bits == 16) return {convert<std::int16_t>, 2};
    if (format == SAMPLEFORMAT_INT && bits == 32) return {convert<std::int32_t>, 4};
    if (format == SAMPLEFORMAT_UINT && bits == 16) return {convert<std::uint16_t>, 2};
    refuse(name,
           fmt::format(
               "holds numbers of {} bits (sample format {}), expected int16 or float32; gdal_translate -ot Float32",
               bits, format));
}

std::optional<float> nodata_of(TIFF* tiff) {
    const std::vector<char> text = tag_values<char>(tiff, nodata_tag);
    if (text.empty()) return std::nullopt;
    const std::string number(text.begin(), std::find(text.begin(), text.end(), '\0'));
    char* end = nullptr;
    const double value = std::strtod(number.c_str(), &end);
    return end != number.c_str() ? std::optional(static_cast<float>(value)) : std::nullopt;
}

/// Rows of tiles or single rows, whichever the file is made of.
class GeoTiff final : public RasterTerrain {
public:
    GeoTiff(const std::string& path, Tiff tiff)
        : RasterTerrain(path, place_of(path, tiff.get())),
          tiff_(std::move(tiff)),
          numbers_(numbers_of(path, tiff_.get())),
          nodata_(nodata_of(tiff_.get())) {
        if (TIFFIsTiled(tiff_.get())) {
            TIFFGetField(tiff_.get(), TIFFTAG_TILEWIDTH, &tile_columns_);
            TIFFGetField(tiff_.get(), TIFFTAG_TILELENGTH, &tile_rows_);
        } else {
            TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_ROWSPERSTRIP, &rows_per_strip_);
            rows_per_strip_ = std::min(rows_per_strip_, static_cast<std::uint32_t>(this->place().rows));
        }
    }

private:
    void read_row(std::int64_t row, std::int64_t first_column, std::span<float> height_m) override {
        tile_rows_ > 0 ? read_from_tiles(row, first_column, height_m) : read_from_strips(row, first_column, height_m);
        if (nodata_) std::replace(height_m.begin(), height_m.end(), *nodata_, std::numeric_limits<float>::quiet_NaN());
    }

    template <class Result>
    Result whole(Result result) const {
        if (result < 0) refuse(name(), fmt::format("cannot be read: {}; the file is damaged", complaint));
        return result;
    }

    /// The tiles of one row of tiles that are wanted are kept, as the next rows want the same.
    void read_from_tiles(std::int64_t row, std::int64_t first_column, std::span<float> height_m) {
        const std::int64_t width = tile_columns_, of_tiles = row / tile_rows_, from = first_column / width,
                           to = (first_column + static_cast<std::int64_t>(height_m.size()) - 1) / width;
        const auto tile_bytes = static_cast<std::size_t>(TIFFTileSize(tiff_.get()));
        if (of_tiles != kept_row_ || from != kept_from_ || to != kept_to_) {
            kept_.resize(tile_bytes * static_cast<std::size_t>(to - from + 1));
            for (std::int64_t tile = from; tile <= to; ++tile)
                whole(TIFFReadTile(tiff_.get(), kept_.data() + static_cast<std::size_t>(tile - from) * tile_bytes,
                                   static_cast<std::uint32_t>(tile * width),
                                   static_cast<std::uint32_t>(of_tiles * tile_rows_), 0, 0));
            kept_row_ = of_tiles, kept_from_ = from, kept_to_ = to;
        }
        const auto row_of_tile = static_cast<std::size_t>((row - of_tiles * tile_rows_) * width);
        for (std::size_t done = 0; done < height_m.size();) {
            const std::int64_t column = first_column + static_cast<std::int64_t>(done), tile = column / width,
                               within = column % width;
            const std::size_t count = std::min(height_m.size() - done, static_cast<std::size_t>(width - within));
            const std::byte* at = kept_.data() + static_cast<std::size_t>(tile - from) * tile_bytes +
                                  (row_of_tile + static_cast<std::size_t>(within)) * numbers_.bytes;
            numbers_.convert(at, height_m.subspan(done, count));
            done += count;
        }
    }

    /// What is compressed has to be read from the beginning of its strip.
    void read_from_strips(std::int64_t row, std::int64_t first_column, std::span<float> height_m) {
        const std::int64_t begin = row / rows_per_strip_ * rows_per_strip_;
        kept_.resize(static_cast<std::size_t>(TIFFScanlineSize(tiff_.get())));
        for (std::int64_t at = next_row_ > begin && next_row_ <= row ? next_row_ : begin; at <= row; ++at)
            whole(TIFFReadScanline(tiff_.get(), kept_.data(), static_cast<std::uint32_t>(at), 0));
        next_row_ = row + 1;
        numbers_.convert(kept_.data() + static_cast<std::size_t>(first_column) * numbers_.bytes, height_m);
    }

    Tiff tiff_;
    Numbers numbers_;
    std::optional<float> nodata_;
    std::uint32_t tile_columns_ = 0, tile_rows_ = 0, rows_per_strip_ = 1;
    std::vector<std::byte> kept_;
    std::int64_t kept_row_ = -1, kept_from_ = -1, kept_to_ = -1, next_row_ = -1;
};

}  // namespace

StoredTerrain open_geotiff(const std::string& path) {
    Tiff tiff = open_tiff(path);
    StoredTerrain terrain;
    tell_datum(geo_keys(tiff.get()), terrain);
    terrain.source = std::make_unique<GeoTiff>(path, std::move(tiff));
    return terrain;
}

MapGrid read_geotiff_grid(const std::string& path) {
    constexpr int user_defined = 32767;
    const Tiff tiff = open_tiff(path);
    const std::map<int, int> keys = geo_keys(tiff.get());
    const bool degrees = key_of(keys, model_type_key) == geographic_model;
    if (degrees) check_coordinates(path, keys);
    const int epsg = degrees ? MapProjection::wgs84_degrees : key_of(keys, projected_type_key).value_or(user_defined);
    if (epsg == user_defined)
        refuse(path,
               "carries no EPSG code of its map (ProjectedCSType), which its grid cannot be taken over without; "
               "gdalwarp -t_srs EPSG:CODE");
    std::uint32_t width = 0, height = 0;
    TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
    const Corner corner = corner_of(path, tiff.get());
    const double centre = key_of(keys, raster_type_key) == pixel_is_point ? 0.0 : 0.5;
    return {.projection = {epsg},
            .rows = height,
            .columns = width,
            .first_x = corner.longitude_deg + centre * corner.longitude_step_deg,
            .x_step = corner.longitude_step_deg,
            .first_y = corner.latitude_deg + centre * corner.latitude_step_deg,
            .y_step = corner.latitude_step_deg};
}

}  // namespace cornerturn
